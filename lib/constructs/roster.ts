import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type ListedJob, planRoster } from './rules/roster-rules.ts';

export interface RosterOptions {
  /** Absolute path. */
  readonly file: string;
  /** What the functions' names of the scheduler begin with. */
  readonly scheduler: string;
  /** In a build nothing is written: what it would have to write was not committed. */
  readonly isBuild: boolean;
}

/**
 * Compares the jobs with the roster, and adds those that are new to it, as the CDK writes `cdk.context.json`.
 * @returns what is wrong, one sentence each
 */
export function checkRoster({ file, scheduler, isBuild }: RosterOptions, jobs: readonly ListedJob[]): string[] {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const { faults, text, added } = planRoster(before, { file, scheduler, jobs });
  if (faults.length > 0 || text === before) return [...faults];
  if (!isBuild) {
    writeFileSync(file, text);
    return [];
  }
  if (added.length === 0) return [];
  return [
    `JobNotListed: ${file} does not list ${added.join(', ')} of ${scheduler}: synthesise where CI is not set, which adds them, and commit the file`,
  ];
}

/** Build servers set `CI`. */
export function isBuild(env: NodeJS.ProcessEnv = process.env): boolean {
  return !['', '0', 'false', undefined].includes(env.CI);
}
