import { createHash } from 'node:crypto';
import { readManifestPart } from '../../adapters/manifest-input/read-manifest-part.ts';
import { BelfryError } from '../../domain/errors.ts';
import type { ManifestPart } from '../../domain/job.ts';
import type { PlannedJob } from '../../domain/plan/deployment.ts';
import type { AwsSchedule } from '../../domain/translation/aws-schedule.ts';
import type { TemplateValue } from '../../domain/update/stack-template.ts';
import type { TemplateResource } from '../assembly/template.ts';
import { resourcesOf, type TemplateStack } from './template-stack.ts';

/** A job, what fires it, and the properties of its function where the templates declare it. */
export interface TemplateJob {
  readonly job: PlannedJob;
  readonly awsSchedules: readonly AwsSchedule[];
  readonly function?: TemplateResource['Properties'] & object;
}

/**
 * The jobs that these stacks tell their watchdog of.
 * @throws BelfryError `UnreadableManifest`, naming the stack
 */
export function templateJobs(stacks: readonly TemplateStack[]): readonly TemplateJob[] {
  const functions = new Map(
    resourcesOf(stacks, 'AWS::Lambda::Function').map(({ Properties }) => [Properties?.FunctionName, Properties]),
  );
  return stacks.flatMap((stack) =>
    manifestsOf(stack).flatMap(({ scheduler, part }) => {
      const of = (jobs: ManifestPart['jobs'], isEnabled: boolean): TemplateJob[] =>
        jobs.map((definition) => {
          const properties = functions.get(part.functions?.[definition.name]);
          const isLeftBehind = stack.isFormer === true ? { isLeftBehind: true } : {};
          const job = { scheduler, definition, isEnabled, ...isLeftBehind };
          const awsSchedules = isEnabled ? (part.awsSchedules?.[definition.name] ?? []) : [];
          if (properties === undefined) return { job, awsSchedules };
          return { job: { ...job, functionDigest: digest(properties) }, awsSchedules, function: properties };
        });
      return [...of(part.jobs, true), ...of(part.disabled ?? [], false)];
    }),
  );
}

export function plannedJobs(stacks: readonly TemplateStack[]): readonly PlannedJob[] {
  return templateJobs(stacks).map(({ job }) => job);
}

/** Whether a stack holds a part of a manifest. */
export function holdsManifest(stack: TemplateStack): boolean {
  return resourcesOf([stack], 'AWS::Scheduler::Schedule').some((schedule) => inputOf(schedule) !== undefined);
}

function manifestsOf(stack: TemplateStack): readonly { readonly scheduler: string; readonly part: ManifestPart }[] {
  return resourcesOf([stack], 'AWS::Scheduler::Schedule').flatMap((schedule) => {
    const input = inputOf(schedule);
    if (input === undefined) return [];
    try {
      return [{ scheduler: groupOf(schedule), part: readManifestPart(input) }];
    } catch (error) {
      if (!(error instanceof BelfryError)) throw error;
      throw new BelfryError(error.code, `stack '${stack.name}': ${error.message}`, { cause: error });
    }
  });
}

/** The input of a schedule that holds a part of the manifest: JSON with the one key `manifest`. */
function inputOf({ Properties }: TemplateResource): string | undefined {
  const { Input } = (Properties?.Target ?? {}) as { readonly Input?: TemplateValue };
  return typeof Input === 'string' && Input.startsWith('{"manifest":') ? Input : undefined;
}

/** Each scheduler has a group of its own. */
function groupOf({ Properties }: TemplateResource): string {
  const name = Properties?.GroupName;
  return typeof name === 'string' ? name : JSON.stringify(name ?? 'default');
}

function digest(value: TemplateValue): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64url');
}

/** CloudFormation and what passes templates on may put keys in another order. */
function sorted(value: TemplateValue): TemplateValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
