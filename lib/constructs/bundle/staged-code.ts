import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Code, type CodeConfig } from 'aws-cdk-lib/aws-lambda';
import { type FileAssetLocation, FileAssetPackaging, Lazy, Stack, Stage } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { BelfryError } from '../../domain/errors.ts';
import { EntryBundle } from './entry-bundle.ts';

export interface StagedCodeProps {
  /** Absolute path of the file that exports `handler`; with `source`, any name that nothing else has. */
  readonly entry: string;
  /** Text of a module that is generated instead, asked for once the whole tree is known. */
  readonly source?: () => string;
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
    EntryBundle.of(scope).announce(this.props.entry, this.props.source);
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
    for (const [name, content] of files) hash.update(`${name}\0${content.length}\0`).update(content);
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
      for (const [name, content] of files) writeFileSync(join(folder, name), content);
    }
    return Stack.of(scope).synthesizer.addFileAsset({
      sourceHash,
      fileName: relative(stage.outdir, folder),
      packaging: FileAssetPackaging.ZIP_DIRECTORY,
    });
  }

  private contents(scope: Construct): Map<string, Uint8Array> {
    const files = new Map<string, Uint8Array>();
    files.set('index.mjs', EntryBundle.of(scope).codeOf(this.props.entry));
    for (const path of this.props.files ?? []) files.set(basename(path), readFileSync(path));
    for (const [name, text] of Object.entries(this.props.generated?.() ?? {})) files.set(name, Buffer.from(text));
    return files;
  }
}
