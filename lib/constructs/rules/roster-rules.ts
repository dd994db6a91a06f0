export interface ListedJob {
  readonly name: string;
  readonly renamedFrom?: string;
}

export interface RosterPlan {
  /** What is wrong, one sentence each. */
  readonly faults: readonly string[];
  /** What the file is to say, with the jobs that are new; the same as before when there are none. */
  readonly text: string;
  /** Jobs that the file does not list yet. */
  readonly added: readonly string[];
}

const HEADER = [
  '# The jobs that were declared, and by which scheduler. Written at synth and kept with the sources, like a lock file:',
  '# a name that is gone without a word is an error. To remove a job for good, take its line out.',
];

/** Where the numbers of stacks stand: no job is called so. */
const STACKS = '.stacks';

/**
 * Compares the declared jobs with those that were declared before. A job's name is its identity: one that is gone without
 * a word was removed, or renamed by mistake, and then what is due while the names change is lost.
 *
 * @param before what the file says: on each line a job and the schedulers that have it; lines that begin with `#` are comments
 * @param scheduler what its functions' names begin with: no two schedulers have the same
 */
export function planRoster(
  before: string,
  {
    file,
    scheduler,
    stacks = 1,
    jobs,
  }: {
    readonly file: string;
    readonly scheduler: string;
    readonly stacks?: number;
    readonly jobs: readonly ListedJob[];
  },
): RosterPlan {
  const listed = readRoster(before);
  const declared = new Set(jobs.map(({ name }) => name));
  const successors = new Set(jobs.map(({ renamedFrom }) => renamedFrom));
  const mine = [...listed].filter(([, schedulers]) => schedulers.has(scheduler)).map(([name]) => name);
  const gone = mine.filter((name) => !declared.has(name) && !successors.has(name));
  const added = [...declared].filter((name) => !listed.get(name)?.has(scheduler));
  // What has a new name is the new one's from now on.
  for (const name of mine) if (!declared.has(name) && successors.has(name)) listed.get(name)?.delete(scheduler);
  const spread = stacks === 1 ? undefined : `${scheduler}=${stacks}`;
  const numbers = listed.get(STACKS) ?? new Set<string>();
  const wasSpread = [...numbers].find((entry) => entry.startsWith(`${scheduler}=`));
  const isNewlySpread = spread !== undefined && wasSpread === undefined;
  if (isNewlySpread) listed.set(STACKS, new Set([...numbers, spread]));
  for (const name of added) listed.set(name, new Set([...(listed.get(name) ?? []), scheduler]));
  const isChanged = isNewlySpread || added.length > 0 || mine.some((name) => !listed.get(name)?.has(scheduler));
  return {
    faults: [
      ...(wasSpread === undefined || wasSpread === spread ? [] : [stacksChanged(file, wasSpread, scheduler, stacks)]),
      ...gone.map((name) => {
        const where = added.length === 0 ? '' : ` (is it one of the new ones, ${added.join(', ')}?)`;
        return `JobGone: job '${name}' of ${scheduler} is listed in ${file} and not declared any more: if it has a new name${where}, say renamedFrom: '${name}' there; if it is to go, take its line out`;
      }),
    ],
    text: isChanged ? writeRoster(listed) : before,
    added,
  };
}

function stacksChanged(file: string, was: string, scheduler: string, stacks: number): string {
  return `StacksChanged: stacks of ${scheduler} is ${stacks}, and ${file} says ${was.slice(scheduler.length + 1)}: jobs would move to other stacks while the old ones still have their names, which CloudFormation refuses; leave stacks as it is, or give the scheduler another prefix in the same deployment`;
}

function readRoster(text: string): Map<string, Set<string>> {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [name = '', schedulers = ''] = line.split(':');
      return [name.trim(), new Set(schedulers.split(/\s+/).filter((one) => one !== ''))];
    }),
  );
}

function writeRoster(listed: ReadonlyMap<string, ReadonlySet<string>>): string {
  const lines = [...listed]
    .filter(([, schedulers]) => schedulers.size > 0)
    .map(([name, schedulers]) => `${name}: ${[...schedulers].sort().join(' ')}`);
  return `${[...HEADER, ...lines.sort()].join('\n')}\n`;
}
