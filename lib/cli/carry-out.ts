import { BelfryError } from '../domain/errors.ts';
import { openTarget, type Target, type TargetFlags } from './target.ts';

/** Input that is wrong; everything else that goes wrong is a negative answer. */
const WRONG_INPUT = new Set([
  'NotDeployed',
  'SeveralDeployed',
  'NotRunHere',
  'NoCdkApp',
  'UnknownEnvironment',
  'UnknownJob',
  'MalformedScheduledTime',
  'EmptyRange',
  'NotRunning',
  'NoNote',
  'NotAnOccurrence',
  'RangeInFuture',
  'TooManyOccurrences',
  'NothingChosen',
  'NotConfirmed',
  'NoQueue',
]);

/** Runs a command on its target and returns the exit code: what it says itself, or 1 or 2 for an error, told on stderr. */
export async function carryOut(flags: TargetFlags, act: (target: Target) => Promise<number>): Promise<number> {
  let target: Target | undefined;
  try {
    target = await openTarget(flags);
    return await act(target);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${explain(error)}\n`);
    return error instanceof BelfryError && WRONG_INPUT.has(error.code) ? 2 : 1;
  } finally {
    await target?.close();
  }
}

function explain(error: Error): string {
  if (error instanceof BelfryError) return error.message;
  // What the SDK says of credentials, regions and rights is for people; a stack is for us.
  const isOfService =
    '$metadata' in error || /Credentials|Region|Endpoint|ECONNREFUSED/.test(`${error.name} ${error.message}`);
  return isOfService
    ? `AWS could not be asked: ${error.name}: ${error.message}; check AWS_REGION, AWS_PROFILE and AWS_ENDPOINT_URL, or look at this machine with --local`
    : (error.stack ?? error.message);
}

/** @throws BelfryError `UnknownJob` */
export function assertKnown(
  target: Target,
  job: string,
  known: readonly string[] = target.jobs.map(({ name }) => name),
): void {
  if (known.includes(job)) return;
  throw new BelfryError(
    'UnknownJob',
    `there is no job '${job}' in ${target.environment}: ${known.length === 0 ? 'the watchdog has not looked once yet (it does every minute), so no job is known' : `known are ${known.join(', ')}`}`,
  );
}
