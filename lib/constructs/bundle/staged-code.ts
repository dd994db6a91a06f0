import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Code, type CodeConfig } from 'aws-cdk-lib/aws-lambda';
import { type FileAssetLocation, FileAssetPackaging, Lazy, Stack, Stage } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { BelfryError } from '../../domain/errors.ts';
import { isForThisMachine } from './build.ts';
import { SOURCE_MAP } from './bundle-entries.ts';
import { EntryBundle } from './entry-bundle.ts';

const NAMES_ITS_MAP = Buffer.from(`//# sourceMappingURL=${SOURCE_MAP}\n`);

export interface StagedCodeProps {
  /** Absolute path of the file that exports `handler`; with `source`, any name that nothing else has. */
  readonly entry: string;
  /** Text of a module that is generated instead, asked for once the whole tree is known. */
  readonly source?: () => string;
  /**
   * Whether the bundle shares nothing with others, so that it stays the same whatever they are.
   *
   * @default false
   */
  readonly isAlone?: boolean;
  /**
   * Folder of the project.
   *
   * @default - the folder that the app runs in
   */
  readonly root?: string;
  /**
   * Whether the source map comes with the code, and is named in it.
   *
   * @default false
   */
  readonly sourceMaps?: boolean;
  /** Absolute paths of files to put beside the bundle, under their own names. */
  readonly files?: readonly string[];
  /** Text of further files beside the bundle, asked for once the whole tree is known. */
  readonly generated?: () => Readonly<Record<string, string>>;
}

/**
 * The code of one function: `index.mjs` and what lies beside it, written once into the cloud assembly under the hash of
 * its content. It is made when the template is, not when the construct is: only then are all entries known.
 */
export class StagedCode extends Code {
  readonly isInline = false;
  private readonly props: StagedCodeProps;
  private location: FileAssetLocation | undefined;

  constructor(props: StagedCodeProps) {
    super();
    this.props = props;
  }

  override bind(scope: Construct): CodeConfig {
    EntryBundle.of(scope).announce(this.props.entry, this.props);
    return {
      s3Location: {
        bucketName: Lazy.string({ produce: () => this.locate(scope).bucketName }),
        objectKey: Lazy.string({ produce: () => this.locate(scope).objectKey }),
      },
    };
  }

  private locate(scope: Construct): FileAssetLocation {
    this.location ??= this.stage(scope);
    return this.location;
  }

  private stage(scope: Construct): FileAssetLocation {
    const files = this.contents(scope);
    const hash = createHash('sha256');
    for (const name of [...files.keys()].sort()) hash.update(`${name}\0${digest(files.get(name))}\0`);
    const sourceHash = hash.digest('hex');

    const stage = Stage.of(scope);
    if (stage === undefined) {
      throw new BelfryError(
        'StackOutsideApp',
        `${scope.node.path} is not part of an App: give its stack an App as scope`,
      );
    }
    const folder = join(stage.assetOutdir, `asset.${sourceHash}`);
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true });
      for (const [name, content] of files) place(join(folder, name), content);
    }
    return Stack.of(scope).synthesizer.addFileAsset({
      sourceHash,
      fileName: relative(stage.outdir, folder),
      packaging: FileAssetPackaging.ZIP_DIRECTORY,
    });
  }

  private contents(scope: Construct): Map<string, Uint8Array> {
    const files = new Map(EntryBundle.of(scope).filesOf(this.props.entry));
    if (this.props.sourceMaps === true) {
      files.set('index.mjs', Buffer.concat([files.get('index.mjs') ?? Buffer.alloc(0), NAMES_ITS_MAP]));
    } else if (!isForThisMachine()) {
      // There for another function with the same handler.
      files.delete(SOURCE_MAP);
    }
    for (const path of this.props.files ?? []) files.set(basename(path), readFileSync(path));
    for (const [name, text] of Object.entries(this.props.generated?.() ?? {})) files.set(name, Buffer.from(text));
    return files;
  }
}

const digests = new WeakMap<Uint8Array, string>();
/** Where a content was written first. */
const places = new WeakMap<Uint8Array, string>();

/** What many bundles share is digested once. */
function digest(content: Uint8Array = new Uint8Array()): string {
  const known = digests.get(content) ?? createHash('sha256').update(content).digest('hex');
  digests.set(content, known);
  return known;
}

/** What many bundles share is one file on disk with many names, where the file system has that. */
function place(path: string, content: Uint8Array): void {
  const first = places.get(content);
  if (first !== undefined && dirname(dirname(first)) === dirname(dirname(path)) && existsSync(first)) {
    try {
      linkSync(first, path);
      return;
    } catch {
      // Written anew below: a link saves space, nothing else.
    }
  }
  writeFileSync(path, content);
  places.set(content, path);
}
