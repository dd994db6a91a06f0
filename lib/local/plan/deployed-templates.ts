import type { DeployedStacks, FoundStack } from '../../adapters/deployed-stacks/deployed-stacks.ts';
import { BelfryError } from '../../domain/errors.ts';
import type { DeploymentTarget, Template } from '../assembly/template.ts';
import { holdsManifest } from './planned-jobs.ts';
import { environmentsOf, marked, rootOf, type TemplateStack } from './template-stack.ts';

const STACKS_AT_A_TIME = 4;

/**
 * Reads what is deployed of an app: its own stacks, those nested in them, and former ones. A stack that the app does not have any more is found by its name, which begins as the
 * names of the app's stacks do, and by what it holds: jobs or functions of the environment.
 * @param app the environment as it would be deployed
 * @param onProgress from 0 to 1
 * @throws BelfryError `NotDeployed`, `UnreadableTemplate`, `NoManifest`
 */
export async function readDeployedTemplates(
  source: Pick<DeployedStacks, 'template' | 'nested'>,
  found: readonly FoundStack[],
  app: readonly TemplateStack[],
  onProgress: (done: number, stack: string) => void,
): Promise<readonly TemplateStack[]> {
  const names = new Set(app.map(({ name }) => name));
  const prefixes = prefixesOf([...names].filter((name) => !name.includes('/')));
  const own = found.filter(({ name }) => names.has(name));
  const candidates = found.filter(({ name }) => !names.has(name) && prefixes.some((prefix) => name.startsWith(prefix)));
  const all = [...own, ...candidates];
  const stacks: TemplateStack[] = [];
  let done = 0;
  const waiting = all.values();
  const work = async () => {
    for (const one of waiting) {
      stacks.push(...(await read(source, one, names.has(one.name))));
      done += 1;
      onProgress(done / all.length, one.name);
    }
  };
  await Promise.all(Array.from({ length: STACKS_AT_A_TIME }, work));

  const environments = environmentsOf(app);
  const isOurs = (stack: TemplateStack) =>
    names.has(rootOf(stack)) || [...environmentsOf([stack])].some((name) => environments.has(name));
  const ours = stacks.filter(isOurs).sort((one, other) => (one.name < other.name ? -1 : 1));
  if (ours.length > 0 && !ours.some(holdsManifest)) {
    throw new BelfryError(
      'NoManifest',
      `the deployed stacks ${ours.map(({ name }) => name).join(', ')} declare no job of Belfry: somebody else's stacks may have these names, or a release deployed them that this one cannot read`,
    );
  }
  return marked(ours, app);
}

/** Of which account and Region a stack is. */
export function targetOf(arn: string): DeploymentTarget {
  const [, , , region, account] = arn.split(':');
  return { ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) };
}

/** What the names of the app's stacks begin with, up to a hyphen; and stacks of jobs beside the scheduler's own. */
function prefixesOf(names: readonly string[]): readonly string[] {
  const [first = '', ...others] = names;
  let length = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, length))) length -= 1;
  const shared = first.slice(0, length).match(/^.*-/)?.[0];
  return [...names.map((name) => `${name}-`), ...(shared === undefined || others.length === 0 ? [] : [shared])];
}

async function read(
  source: Pick<DeployedStacks, 'template' | 'nested'>,
  { name, arn, status }: FoundStack,
  isNeeded: boolean,
  label = name,
): Promise<readonly TemplateStack[]> {
  const template = parse(await source.template(arn), label, isNeeded);
  if (template === undefined) return [];
  const stacks: TemplateStack[] = [{ name: label, template, status, target: targetOf(arn) }];
  for (const [logicalId, { Type }] of Object.entries(template.Resources ?? {})) {
    if (Type !== 'AWS::CloudFormation::Stack') continue;
    const nested = await source.nested(arn, logicalId);
    if (nested === undefined) continue;
    stacks.push(...(await read(source, { name: nested, arn: nested, status }, isNeeded, `${label}/${logicalId}`)));
  }
  return stacks;
}

/** A stack that only has a similar name may have any template. */
function parse(text: string, stack: string, isNeeded: boolean): Template | undefined {
  try {
    return JSON.parse(text) as Template;
  } catch (cause) {
    if (!isNeeded) return undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BelfryError(
      'UnreadableTemplate',
      `the template of the deployed stack '${stack}' is not valid JSON (${why}): the CDK deploys JSON, so somebody else may have deployed this one`,
      { cause },
    );
  }
}
