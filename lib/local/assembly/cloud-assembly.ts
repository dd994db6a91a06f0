import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BelfryError } from '../../domain/errors.ts';
import { readJson } from './read-json.ts';
import type { DeploymentTarget, Stack, Template } from './template.ts';

interface Artifact {
  readonly type: string;
  readonly displayName?: string;
  readonly environment?: string;
  readonly dependencies?: readonly string[];
  readonly properties?: {
    readonly directoryName?: string;
    readonly displayName?: string;
    readonly templateFile?: string;
    readonly stackName?: string;
    readonly file?: string;
  };
}

interface AssetManifest {
  readonly files?: { readonly [hash: string]: { readonly source: { readonly path?: string } } };
}

/**
 * Reads the stacks of one environment: those of the nested assembly (the CDK `Stage`) of that name, or all stacks when
 * the app has no stages.
 * @throws BelfryError `NoCloudAssembly`, `UnknownEnvironment`, `UnreadableFile`.
 */
export function readCloudAssembly(folder: string, environment: string): Stack[] {
  const artifacts = readManifest(folder);
  const stages = stagesOf(artifacts);
  if (stages.length === 0) return readStacks(folder, artifacts);
  const names = stages.map(
    ([id, artifact]) => artifact.properties?.displayName ?? artifact.displayName ?? id.replace(/^assembly-/, ''),
  );
  const stage = stages[names.indexOf(environment)];
  if (stage === undefined) {
    throw new BelfryError(
      'UnknownEnvironment',
      `the app declares no environment '${environment}': it has ${names.join(', ')}; choose one with --environment`,
    );
  }
  const nested = join(folder, stage[1].properties?.directoryName ?? stage[0]);
  return readStacks(nested, readManifest(nested));
}

/** Whether the app keeps its environments apart as stages. */
export function hasStages(folder: string): boolean {
  return stagesOf(readManifest(folder)).length > 0;
}

function stagesOf(artifacts: { readonly [id: string]: Artifact }): [string, Artifact][] {
  return Object.entries(artifacts).filter(([, artifact]) => artifact.type === 'cdk:cloud-assembly');
}

function readManifest(folder: string): { readonly [id: string]: Artifact } {
  const file = join(folder, 'manifest.json');
  if (!existsSync(file)) {
    throw new BelfryError(
      'NoCloudAssembly',
      `the app wrote no cloud assembly (${file} does not exist): the "app" command in cdk.json must create a CDK App and synthesise it`,
    );
  }
  return readJson<{ artifacts?: { [id: string]: Artifact } }>(file).artifacts ?? {};
}

function readStacks(folder: string, artifacts: { readonly [id: string]: Artifact }): Stack[] {
  const assets = new Map<string, string>();
  for (const { type, properties } of Object.values(artifacts)) {
    if (type !== 'cdk:asset-manifest' || properties?.file === undefined) continue;
    const { files = {} } = readJson<AssetManifest>(join(folder, properties.file));
    for (const [hash, { source }] of Object.entries(files)) {
      if (source.path !== undefined) assets.set(hash, join(folder, source.path));
    }
  }
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const names = new Map(stacks.map(([id, { properties }]) => [id, properties?.stackName ?? id]));
  return stacks.map(([id, { properties, environment, dependencies = [] }]) => ({
    name: names.get(id) ?? id,
    template: readJson<Template>(join(folder, properties?.templateFile ?? `${id}.template.json`)),
    assets,
    target: targetOf(environment),
    dependsOn: dependencies.map((other) => names.get(other)).filter((name) => name !== undefined),
  }));
}

/** `aws://123456789012/eu-west-1`, or `aws://unknown-account/unknown-region`. */
function targetOf(environment = ''): DeploymentTarget {
  const [, account, region] = /^aws:\/\/(\d{12}|unknown-account)\/([a-z0-9-]+)$/.exec(environment) ?? [];
  return {
    ...(account === undefined || account.startsWith('unknown') ? {} : { account }),
    ...(region === undefined || region.startsWith('unknown') ? {} : { region }),
  };
}
