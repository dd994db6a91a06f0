import { scheduleGroup, scheduleName } from '../contract/names.ts';
import type { AwsSchedule } from '../translation/aws-schedule.ts';

/**
 * Why an occurrence did not start, as far as there is evidence:
 * - `scheduleDisabled`, `scheduleDeleted`, `scheduleChanged`, `targetChanged`: what fires the job is not as it was deployed
 * - `roleDenied`: EventBridge Scheduler may not invoke the function
 * - `functionMissing`, `functionFailing`: there is no function, or it does not start
 * - `throttled`: it was not given any capacity
 * - `deadLettered`: the event was given up for another reason
 * - `providerLate`: EventBridge Scheduler itself was late at that time
 * - `unknown`: nothing of this is proved
 */
export type MissCause =
  | 'scheduleDisabled'
  | 'scheduleDeleted'
  | 'scheduleChanged'
  | 'targetChanged'
  | 'roleDenied'
  | 'functionMissing'
  | 'functionFailing'
  | 'throttled'
  | 'deadLettered'
  | 'providerLate'
  | 'unknown';

export interface Diagnosis {
  readonly cause: MissCause;
  /** What was found, in a few words. */
  readonly detail?: string;
}

/** One of the job's schedules, as it is deployed now. */
export interface FoundSchedule {
  readonly name: string;
  /** Left out: there is none of that name. */
  readonly found?: {
    readonly expression: string;
    readonly timeZone: string;
    readonly isEnabled: boolean;
    /** ARN of what it invokes. */
    readonly target: string;
    readonly input: string;
  };
}

export interface FoundFunction {
  readonly exists: boolean;
  /** `Active`, or another state in which it cannot be invoked. */
  readonly state?: string;
  readonly stateReason?: string;
  /** Undefined: none reserved. Zero: it is switched off. */
  readonly reservedConcurrency?: number;
}

/** An event that was given up and put aside. */
export interface UndeliveredEvent {
  readonly job: string;
  /** Epoch milliseconds. */
  readonly scheduledTime: number;
  /** What gave it up: what fires it, or what runs the function. */
  readonly from: 'scheduler' | 'function';
  readonly code: string;
  readonly message: string;
}

/** What could be found out. A part that is left out could not be looked at, and proves nothing. */
export interface Evidence {
  readonly schedules?: readonly FoundSchedule[];
  readonly function?: FoundFunction;
  readonly undelivered?: readonly UndeliveredEvent[];
  /** How late the watchdog's own event came in this minute, milliseconds. */
  readonly firingLatenessMs?: number;
}

export interface MissedOccurrence {
  /** The scheduler's prefix. */
  readonly scheduler: string;
  readonly job: string;
  readonly scheduledTime: number;
  /** As it was deployed. */
  readonly awsSchedules: readonly AwsSchedule[];
  readonly functionName: string | undefined;
}

/** Later than that, firing is late: a minute is what the service takes anyway. */
const LATE_FIRING_MS = 90_000;

/** The strongest cause that the evidence proves; what stopped this very event before what could have. */
export function planCause(missed: MissedOccurrence, evidence: Evidence): Diagnosis {
  return (
    fromUndelivered(missed, evidence.undelivered ?? []) ??
    fromSchedules(missed, evidence.schedules ?? []) ??
    fromFunction(evidence.function) ??
    fromLateness(evidence.firingLatenessMs) ?? { cause: 'unknown' }
  );
}

function fromUndelivered(
  { job, scheduledTime }: MissedOccurrence,
  undelivered: readonly UndeliveredEvent[],
): Diagnosis | undefined {
  const event = undelivered.find((one) => one.job === job && one.scheduledTime === scheduledTime);
  if (event === undefined) return undefined;
  const said = `${event.code} ${event.message}`;
  const detail = said.trim().slice(0, 200);
  if (/access.?denied|not authorized|assume.*role|forbidden/i.test(said)) return { cause: 'roleDenied', detail };
  if (/throttl|too.?many.?requests|rate exceeded|concurren|^429\b/i.test(said)) return { cause: 'throttled', detail };
  if (/resource.?not.?found|function not found|^404\b/i.test(said)) return { cause: 'functionMissing', detail };
  // The function was reached and ended with an error, and no run was begun: it fails before it can claim one.
  if (event.from === 'function') return { cause: 'functionFailing', detail };
  return { cause: 'deadLettered', detail };
}

function fromSchedules(
  { scheduler, job, awsSchedules, functionName }: MissedOccurrence,
  schedules: readonly FoundSchedule[],
): Diagnosis | undefined {
  for (const [index, deployed] of awsSchedules.entries()) {
    const name = scheduleName(scheduler, job, index);
    const looked = schedules.find((one) => one.name === name);
    if (looked === undefined) continue;
    const { found } = looked;
    if (found === undefined) return { cause: 'scheduleDeleted', detail: `there is no schedule '${name}'` };
    if (!found.isEnabled) return { cause: 'scheduleDisabled', detail: `schedule '${name}' is disabled` };
    if (found.expression !== deployed.expression || found.timeZone !== deployed.timeZone) {
      const [is, was] = [found, deployed].map((one) => `${one.expression} ${one.timeZone}`);
      return { cause: 'scheduleChanged', detail: `schedule '${name}' is ${is}, deployed was ${was}` };
    }
    if (functionName !== undefined && !pointsTo(found.target, functionName)) {
      return { cause: 'targetChanged', detail: `schedule '${name}' invokes ${found.target}, not ${functionName}` };
    }
    if (!isFor(found.input, job)) {
      return { cause: 'targetChanged', detail: `schedule '${name}' sends ${found.input.slice(0, 80)}` };
    }
  }
  return undefined;
}

function fromFunction(found: FoundFunction | undefined): Diagnosis | undefined {
  if (found === undefined) return undefined;
  if (!found.exists) return { cause: 'functionMissing', detail: 'there is no such function' };
  if (found.reservedConcurrency === 0) return { cause: 'throttled', detail: 'its reserved concurrency is 0' };
  if (found.state !== undefined && found.state !== 'Active') {
    return {
      cause: 'functionFailing',
      detail: `its state is ${found.state}: ${found.stateReason ?? 'no reason given'}`,
    };
  }
  return undefined;
}

function fromLateness(latenessMs: number | undefined): Diagnosis | undefined {
  if (latenessMs === undefined || latenessMs < LATE_FIRING_MS) return undefined;
  const detail = `the watchdog itself was fired ${Math.round(latenessMs / 1000)} s late`;
  return { cause: 'providerLate', detail };
}

/**
 * Whether what fires the job is already that of another revision: a deployment is under way that this watchdog does not
 * know of yet. Then the occurrence was not missed; its definition has ended.
 */
export function isSuperseded(job: string, revision: string, schedules: readonly FoundSchedule[]): boolean {
  return schedules.some(({ found }) => {
    const event = found === undefined ? undefined : eventOf(found.input);
    return event?.job === job && typeof event.revision === 'string' && event.revision !== revision;
  });
}

function pointsTo(arn: string, functionName: string): boolean {
  return arn.split(':')[6] === functionName || arn === functionName;
}

function isFor(input: string, job: string): boolean {
  const event = eventOf(input);
  return event?.job === job && event.scheduledTime === '<aws.scheduler.scheduled-time>';
}

function eventOf(
  input: string,
): { readonly job?: unknown; readonly scheduledTime?: unknown; readonly revision?: unknown } | undefined {
  try {
    return JSON.parse(input) as ReturnType<typeof eventOf>;
  } catch {
    return undefined;
  }
}

export interface Place {
  readonly environment: string;
  /** The scheduler's prefix. */
  readonly scheduler: string;
  /** The stacks that declare the jobs, as `cdk deploy` takes them. */
  readonly jobsStacks: string;
  readonly functionName: string | undefined;
}

/** The command to begin with, as it can be pasted: to look closer or to put it right. */
export function remedy(
  cause: MissCause,
  job: string,
  { environment, scheduler, jobsStacks, functionName }: Place,
): string {
  const name = functionName ?? `<the function of ${job}>`;
  switch (cause) {
    case 'scheduleDisabled':
    case 'scheduleDeleted':
    case 'scheduleChanged':
    case 'targetChanged':
      return `cdk deploy '${jobsStacks}' --revert-drift`;
    case 'roleDenied':
      return `aws scheduler get-schedule --group-name ${scheduleGroup(scheduler)} --name ${scheduleName(scheduler, job, 0)} --query Target.RoleArn && cdk deploy '${jobsStacks}' --revert-drift`;
    case 'functionMissing':
      return `cdk deploy '${jobsStacks}'`;
    case 'functionFailing':
      return `aws lambda get-function-configuration --function-name ${name} --query '[State,StateReason]' && aws logs tail --since 1h --filter-pattern ERROR $(aws lambda get-function-configuration --function-name ${name} --query LoggingConfig.LogGroup --output text)`;
    case 'throttled':
      return `aws lambda get-function-concurrency --function-name ${name} && aws lambda get-account-settings --query AccountLimit`;
    case 'deadLettered':
      return `belfry dead-letters --job ${job} --environment ${environment}`;
    case 'providerLate':
      return `belfry verify --environment ${environment}`;
    case 'unknown':
      return `belfry doctor --environment ${environment}`;
  }
}
