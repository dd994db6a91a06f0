import { BelfryError } from '../errors.ts';
import { textHash } from '../text-hash.ts';

/**
 * Names of what is deployed. All of them begin with the scheduler's prefix, which is unique in an account and Region. An
 * underscore or a dot ends it, which no prefix holds: what belongs to `app` never has a name of `app-jobs`.
 * CloudFormation knows a schedule by its name alone, not by its group, so schedules' names are unique in the Region, too.
 */

/** So that a job's name has room beside it in the 64 characters of functions and schedules. */
const LONGEST_PREFIX = 32;
/** Lambda's limit, and EventBridge Scheduler's. */
const LONGEST_NAME = 64;
const IMAGE = '_image';
/** What may follow a job's name: the number of a further schedule, or of a fleet's function, or that. */
const LONGEST_SUFFIX = IMAGE.length;

const PREFIX = new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${LONGEST_PREFIX - 1}}$`);

/** The prefix of a scheduler that says none: the name of its stack, which CloudFormation keeps unique. */
export function usualPrefix(stackName: string): string {
  return shortened(stackName, LONGEST_PREFIX);
}

/** @throws BelfryError `IllegalPrefix` */
export function assertPrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw new BelfryError(
    'IllegalPrefix',
    `prefix '${prefix}' is not allowed: use 1 to ${LONGEST_PREFIX} letters, digits and hyphens, starting with a letter, e.g. 'billing-prod'`,
  );
}

/** The function of a job, or of a fleet that has only one. */
export function functionName(prefix: string, job: string): string {
  return `${prefix}_${partOf(prefix, job)}`;
}

/**
 * The function of a job whose code is a container image. Lambda cannot turn one kind of code into the other, so
 * CloudFormation makes the function anew, and that needs another name.
 */
export function imageFunctionName(prefix: string, job: string): string {
  return `${functionName(prefix, job)}${IMAGE}`;
}

/** The function of a fleet in one of several stacks. */
export function fleetFunctionName(prefix: string, fleet: string, stack: number): string {
  return `${functionName(prefix, fleet)}-${twoDigits(stack)}`;
}

/** The functions of all jobs, except those that were made elsewhere, as a pattern. */
export function functionNames(prefix: string): string {
  return `${prefix}_*`;
}

export function isFunctionOf(prefix: string, functionName: string): boolean {
  return functionName.startsWith(`${prefix}_`);
}

const WATCHDOG = '-watchdog';

export function watchdogFunctionName(prefix: string): string {
  return `${prefix}${WATCHDOG}`;
}

/** The prefix of the scheduler whose watchdog a function is by its name; undefined for other functions. */
export function prefixOfWatchdog(watchdogFunction: string): string | undefined {
  return watchdogFunction.endsWith(WATCHDOG) ? watchdogFunction.slice(0, -WATCHDOG.length) : undefined;
}

export function lifecycleFunctionName(prefix: string): string {
  return `${prefix}-lifecycle`;
}

/** The group of the jobs' schedules and of the manifest. */
export function scheduleGroup(prefix: string): string {
  return prefix;
}

/** One of a job's schedules, from 0. */
export function scheduleName(prefix: string, job: string, index: number): string {
  const first = `${prefix}_${partOf(prefix, job)}`;
  return index === 0 ? first : `${first}.${index + 1}`;
}

/** Names of the schedules that hold the parts of a scheduler's manifest, one for each stack of jobs. */
export function manifestPartNames(prefix: string, stacks: number): readonly string[] {
  const name = `${prefix}.manifest`;
  return stacks === 1 ? [name] : Array.from({ length: stacks }, (_, index) => `${name}-${twoDigits(index)}`);
}

/** Whether a schedule of that name holds a part of a manifest. */
export function isManifestPart(schedule: string): boolean {
  return /\.manifest(-\d\d)?$/.test(schedule);
}

/**
 * A one-time schedule that a function makes for a run of its job. CloudFormation does not know it, so its group tells it
 * apart, and it need not bear the prefix.
 *
 * @param purpose 1 to 12 letters and digits
 */
export function wakeUpName(job: string, scheduledTime: number, purpose: string): string {
  return `${job}.${(scheduledTime / 1000).toString(36)}-${purpose}`;
}

/** The one-time schedules of jobs, as a pattern. No job's name holds a dot, so none is met whose name only begins alike. */
export function wakeUpNames(jobs: string): string {
  return `${jobs}.*`;
}

/** Not `-watchdog`: that may be the name of another stack, and so another scheduler's group. */
export function watchdogScheduleGroup(prefix: string): string {
  return `${prefix}.watchdog`;
}

export function watchdogScheduleName(prefix: string): string {
  return `${prefix}.watchdog`;
}

export function alarmName(prefix: string, id: string): string {
  return `${prefix}-${id}`;
}

export function muteRuleName(prefix: string, window: number, part: number): string {
  return `${prefix}-maintenance-${window}${part === 0 ? '' : `-${part}`}`;
}

export function eventBusName(prefix: string): string {
  return `${prefix}-runs`;
}

/** Dashboards belong to the account, not to a Region. */
export function dashboardName(prefix: string, region: string): string {
  return `${prefix}-${region}`;
}

/** A job's name, or a fleet's, as far as there is room for it beside the prefix and what may follow. */
function partOf(prefix: string, name: string): string {
  return shortened(name, LONGEST_NAME - prefix.length - 1 - LONGEST_SUFFIX);
}

/** A text that is too long ends in a hash of the whole. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const hash = textHash(text).toString(16).padStart(8, '0');
  return `${text.slice(0, length - 1 - hash.length)}-${hash}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
