import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type ListedJob, planRoster } from './rules/roster-rules.ts';

interface Roster {
  /** Absolute path. */
  readonly file: string;
  /** What the functions' names of the scheduler begin with. */
  readonly scheduler: string;
  readonly newJobs: NewJobs;
  /** Over how many stacks the jobs are spread. */
  readonly stacks?: number;
}

/**
 * What becomes of a job that is not listed yet. `list`: it is added. `refuse`: in a build, where it is an error, as the
 * file was not committed. `pass`: in a run on this machine, which deploys nothing and may only try the job.
 */
export type NewJobs = 'list' | 'refuse' | 'pass';

/**
 * Compares the jobs with the roster; those that are new to it are added, as the CDK writes `cdk.context.json`.
 * @returns what is wrong, one sentence each
 */
export function checkRoster({ file, scheduler, newJobs, stacks = 1 }: Roster, jobs: readonly ListedJob[]): string[] {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const { faults, text, added } = planRoster(before, { file, scheduler, stacks, jobs });
  if (faults.length > 0 || text === before) return [...faults];
  const refusal = newJobs === 'list' ? refusalOf(() => writeFileSync(file, text)) : undefined;
  if (added.length === 0 || newJobs === 'pass' || (newJobs === 'list' && refusal === undefined)) return [];
  const [found, where] =
    refusal === undefined ? ['', 'where CI is not set'] : [` and cannot be written (${refusal})`, 'where it can be'];
  return [
    `JobNotListed: ${file} does not list ${added.join(', ')} of ${scheduler}${found}: run cdk synth ${where}, which adds them, and commit the file`,
  ];
}

/** Why something cannot be done, if it cannot. */
function refusalOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Build servers set `CI`; the local runtime sets `BELFRY_LOCAL` for its synths. */
export function newJobsHere(env: NodeJS.ProcessEnv = process.env): NewJobs {
  if (env.BELFRY_LOCAL !== undefined) return 'pass';
  return ['', '0', 'false', undefined].includes(env.CI) ? 'list' : 'refuse';
}
