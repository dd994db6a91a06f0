import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BelfryError } from '../../domain/errors.ts';
import { hasStages, readCloudAssembly } from '../assembly/cloud-assembly.ts';
import { readJson } from '../assembly/read-json.ts';
import type { Stack, Template } from '../assembly/template.ts';
import { holdsManifest } from './planned-jobs.ts';
import { environmentsOf, type TemplateStack } from './template-stack.ts';

/**
 * The stacks of one environment in a folder: a cloud assembly (`cdk.out`), or templates in JSON files called as their
 * stacks are.
 * @throws BelfryError `NoTemplates`, `UnreadableFile`, `UnknownEnvironment`, `NoManifest`
 */
export function readTemplateFolder(folder: string, environment: string): readonly TemplateStack[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new BelfryError(
      'NoTemplates',
      `there is no folder ${folder}: name a cloud assembly (cdk.out) or a folder of templates`,
    );
  }
  const isAssembly = existsSync(join(folder, 'manifest.json'));
  const stacks = isAssembly ? readCloudAssembly(folder, environment).flatMap(withNested) : readTemplates(folder);
  if (stacks.length === 0) {
    throw new BelfryError(
      'NoTemplates',
      `there are no templates in ${folder}: name a cloud assembly (cdk.out), or a folder of templates in JSON files called as their stacks are`,
    );
  }
  if (!stacks.some(holdsManifest)) {
    throw new BelfryError(
      'NoManifest',
      `none of the ${stacks.length} templates in ${folder} declares a job of Belfry (${shorten(stacks)}): name the folder of an app that has a JobScheduler`,
    );
  }
  return isAssembly && hasStages(folder) ? stacks : ofEnvironment(stacks, environment);
}

/** Stacks of another environment are left out. A stack without functions of ours may be any environment's. */
function ofEnvironment(stacks: readonly TemplateStack[], environment: string): readonly TemplateStack[] {
  const known = environmentsOf(stacks);
  if (!known.has(environment)) {
    throw new BelfryError(
      'UnknownEnvironment',
      `the templates have no environment '${environment}': they have ${[...known].join(', ')}; choose one with --environment`,
    );
  }
  return stacks.filter((stack) => {
    const own = environmentsOf([stack]);
    return own.size === 0 || own.has(environment);
  });
}

function readTemplates(folder: string): readonly TemplateStack[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({
      name: name.replace(/(\.template)?\.json$/, ''),
      template: readJson<Template>(join(folder, name)),
    }))
    .filter(({ template }) => template?.Resources !== undefined);
}

/** A nested stack's template is an asset of its parent, whose hash is in the URL. */
function withNested({ name, template, assets, ...rest }: Stack): readonly TemplateStack[] {
  const nested = Object.entries(template.Resources ?? {}).flatMap(([logicalId, { Type, Properties }]) => {
    if (Type !== 'AWS::CloudFormation::Stack') return [];
    const url = JSON.stringify(Properties?.TemplateURL ?? '');
    const [, file] = [...assets].find(([hash]) => url.includes(hash)) ?? [];
    if (file === undefined) return [];
    return withNested({ name: `${name}/${logicalId}`, template: readJson<Template>(file), assets });
  });
  return [{ name, template, ...rest }, ...nested];
}

function shorten(stacks: readonly TemplateStack[]): string {
  const names = stacks.map(({ name }) => name);
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}
