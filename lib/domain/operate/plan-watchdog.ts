import { watchdogFunctionName } from '../contract/names.ts';
import { BelfryError } from '../errors.ts';

/** A watchdog as it is deployed, and what it says of its scheduler. */
export interface FoundWatchdog {
  /** What the scheduler's names begin with. */
  readonly prefix: string;
  readonly environment: string;
  /** Name of the run table. */
  readonly tableName: string;
  /** The stacks that declare the jobs, and the watchdog's, as `cdk deploy` takes them. */
  readonly jobsStacks: string;
  readonly watchStack: string;
}

/**
 * The watchdog of an environment, of all that were found.
 * @throws BelfryError `NotDeployed`, `SeveralDeployed`
 */
export function planWatchdog(environment: string, found: readonly FoundWatchdog[]): FoundWatchdog {
  const [only, ...others] = found.filter((watchdog) => watchdog.environment === environment);
  if (only === undefined) {
    const known = [...new Set(found.map((watchdog) => watchdog.environment))].sort();
    throw new BelfryError(
      'NotDeployed',
      `environment '${environment}' is not deployed here: ${known.length === 0 ? 'no function here is a watchdog of Belfry' : `the watchdogs found here are of ${known.join(', ')}`}; check --environment, AWS_REGION and AWS_PROFILE, name the table with --table, or look at this machine with --local`,
    );
  }
  if (others.length > 0) {
    const prefixes = [only, ...others].map(({ prefix }) => prefix).sort();
    throw new BelfryError(
      'SeveralDeployed',
      `several schedulers here are of environment '${environment}', with the prefixes ${prefixes.join(', ')}: say which you mean, e.g. --prefix ${prefixes[0]}`,
    );
  }
  return only;
}

/**
 * The watchdog of a scheduler.
 * @param found what has its name
 * @throws BelfryError `NotDeployed`
 */
export function watchdogNamed(prefix: string, found: FoundWatchdog | undefined): FoundWatchdog {
  if (found !== undefined) return found;
  throw new BelfryError(
    'NotDeployed',
    `no scheduler with prefix '${prefix}' is deployed here: there is no function ${watchdogFunctionName(prefix)} that names a table; the prefix is the name of the scheduler's stack unless the app says another; check AWS_REGION and AWS_PROFILE, or name the table with --table`,
  );
}
