import { existsSync, readFileSync } from 'node:fs';

export interface ListedJob {
  readonly name: string;
  readonly renamedFrom?: string;
}

/**
 * Compares the declared jobs with the list of those that were deployed before. A job's name is its identity: one that is
 * gone without a word was removed, or renamed by mistake, and then what is due while the names change is lost.
 *
 * @param file one job name a line; lines that begin with `#` are comments
 */
export function rosterFaults(file: string, jobs: readonly ListedJob[]): string[] {
  const listed = readRoster(file);
  const declared = new Set(jobs.map(({ name }) => name));
  const successors = new Set(jobs.map(({ renamedFrom }) => renamedFrom));
  const gone = [...listed].filter((name) => !declared.has(name) && !successors.has(name));
  const added = jobs.filter(({ name }) => !listed.has(name));
  return [
    ...gone.map(
      (name) =>
        `JobGone: job '${name}' is listed in ${file} and not declared any more: if it has a new name, say renamedFrom: '${name}' there; if it is to go, take its line out`,
    ),
    ...added.map(({ name }) => `JobNotListed: job '${name}' is not listed in ${file}: add a line with its name`),
  ];
}

function readRoster(file: string): Set<string> {
  if (!existsSync(file)) return new Set();
  const lines = readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.trim());
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
}
