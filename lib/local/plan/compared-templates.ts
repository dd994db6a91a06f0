import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeployedStacks, FoundStack } from '../../adapters/deployed-stacks/deployed-stacks.ts';
import { BelfryError } from '../../domain/errors.ts';
import type { ExportInUse } from '../../domain/plan/obstacle.ts';
import { synthesise } from '../assembly/synthesise.ts';
import type { DeploymentTarget } from '../assembly/template.ts';
import { readDeployedTemplates, targetOf } from './deployed-templates.ts';
import { readTemplateFolder } from './template-folder.ts';
import { marked, type TemplateStack } from './template-stack.ts';

export interface ComparedOptions {
  readonly environment: string;
  /** Folder with cdk.json. */
  readonly projectFolder: string;
  /** Templates that stand for what is deployed; without it, CloudFormation is asked. */
  readonly fromTemplates?: string;
  /** Templates of what would be deployed; without it, the app is synthesised. */
  readonly toTemplates?: string;
  readonly onProgress: (done: number, what: string) => void;
}

/** Both sides of a deployment, as templates. */
export interface ComparedTemplates {
  readonly before: readonly TemplateStack[];
  readonly after: readonly TemplateStack[];
  /** Where each comes from, for people. */
  readonly from: string;
  readonly to: string;
  readonly exportsInUse: readonly ExportInUse[];
}

/**
 * Reads what is deployed and what would be.
 * @throws BelfryError `NotDeployed`, `NoTemplates`, `NoManifest`, `UnknownEnvironment`, `UnreadableFile`,
 * `UnreadableTemplate`, `NoCdkApp`, `SynthFailed`; what the SDK throws
 */
export async function comparedTemplates(options: ComparedOptions): Promise<ComparedTemplates> {
  const { environment, fromTemplates } = options;
  if (fromTemplates !== undefined) {
    const before = readTemplateFolder(fromTemplates, environment);
    const after = await wouldBe(options, before[0]?.target);
    return { before: marked(before, after), after, from: fromTemplates, to: toWords(options), exportsInUse: [] };
  }
  // The client is loaded only here: with two folders nothing of AWS is needed.
  const { DeployedStacks } = await import('../../adapters/deployed-stacks/deployed-stacks.ts');
  const source = new DeployedStacks();
  try {
    options.onProgress(0, 'stacks');
    const found = await source.list();
    const region = await source.region();
    const after = await wouldBe(options, found[0] === undefined ? { region } : targetOf(found[0].arn));
    assertDeployed(found, after, { environment, region });
    const deployed = await readDeployedTemplates(source, found, after, options.onProgress);
    return {
      before: deployed,
      after,
      from: `deployed in ${region}`,
      to: toWords(options),
      exportsInUse: await exportsInUse(source, deployed, after),
    };
  } finally {
    source.close();
  }
}

async function wouldBe(
  { toTemplates, environment, projectFolder, onProgress }: ComparedOptions,
  target: DeploymentTarget | undefined,
): Promise<readonly TemplateStack[]> {
  if (toTemplates !== undefined) return readTemplateFolder(toTemplates, environment);
  onProgress(0, 'synthesising the app');
  const outdir = mkdtempSync(join(tmpdir(), 'belfry-plan-'));
  try {
    await synthesise({
      projectFolder,
      outdir,
      environment,
      isCompared: true,
      ...(target === undefined ? {} : { target }),
    });
    return readTemplateFolder(outdir, environment);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function toWords({ toTemplates }: ComparedOptions): string {
  return toTemplates ?? 'the app in this folder';
}

function assertDeployed(
  found: readonly FoundStack[],
  app: readonly TemplateStack[],
  { environment, region }: { readonly environment: string; readonly region: string },
): void {
  const deployed = new Set(found.map(({ name }) => name));
  if (app.some(({ name }) => deployed.has(name))) return;
  const names = app.map(({ name }) => name).filter((name) => !name.includes('/'));
  const elsewhere = app.find(({ target }) => target?.region !== undefined && target.region !== region)?.target?.region;
  const hint = elsewhere === undefined ? '' : `the app says ${elsewhere}: set AWS_REGION to that; or `;
  throw new BelfryError(
    'NotDeployed',
    `environment '${environment}' is not deployed in ${region}: there is no stack ${names.join(', ')}; ${hint}check AWS_REGION, AWS_PROFILE and AWS_ENDPOINT_URL, or compare with a folder by --from-templates`,
  );
}

/** Exports that go, and stacks that are not compared and import them. */
async function exportsInUse(
  source: Pick<DeployedStacks, 'importers'>,
  before: readonly TemplateStack[],
  after: readonly TemplateStack[],
): Promise<readonly ExportInUse[]> {
  const staying = new Set(after.flatMap((stack) => exportsOf(stack)));
  const compared = new Set([...before, ...after].map(({ name }) => name));
  const inUse: ExportInUse[] = [];
  for (const stack of before) {
    for (const exportName of exportsOf(stack).filter((name) => !staying.has(name))) {
      const importers = (await source.importers(exportName)).filter((name) => !compared.has(name));
      if (importers.length > 0) inUse.push({ exportName, stack: stack.name, importers });
    }
  }
  return inUse;
}

function exportsOf({ template }: TemplateStack): readonly string[] {
  return Object.values(template.Outputs ?? {})
    .map(({ Export }) => Export?.Name)
    .filter((name) => typeof name === 'string');
}
