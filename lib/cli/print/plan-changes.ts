import type { JobChange } from '../../domain/plan/plan-deployment.ts';
import { count, listWords, policyWords, shiftWords, wallWords } from './plan-words.ts';

/** Changes that are the same, of one job or of many. */
export interface ChangeGroup {
  /** `nightly`, `nightly (was night)`, `a, b, c and 997 more`. */
  readonly title: string;
  readonly change: JobChange['change'];
  /** What changes, a line each. */
  readonly lines: readonly string[];
  readonly weight: number;
}

/** Up to so many jobs of one change are told one by one. */
const TOLD_ALONE = 3;

/** Many jobs that change alike are one group. Those that lose occurrences come first. */
export function changeGroups(jobs: readonly JobChange[]): readonly ChangeGroup[] {
  const alike = new Map<string, JobChange[]>();
  for (const job of jobs) {
    const key = job.renamedFrom === undefined ? JSON.stringify([job.change, job.policies]) : `renamed ${job.job}`;
    const same = alike.get(key);
    if (same === undefined) alike.set(key, [job]);
    else same.push(job);
  }
  return [...alike.values()]
    .flatMap((same) => (same.length > TOLD_ALONE ? [groupOf(same)] : same.map((job) => groupOf([job]))))
    .sort((one, other) => other.weight - one.weight);
}

function groupOf(jobs: readonly JobChange[]): ChangeGroup {
  const [first] = jobs;
  if (first === undefined) throw new RangeError('a group has a job');
  const total = (pick: (job: JobChange) => number) => jobs.reduce((sum, job) => sum + pick(job), 0);
  const vanish = total(({ occurrences }) => occurrences.vanish.length);
  const moved = total(({ occurrences }) => occurrences.moved.length);
  const appear = total(({ occurrences }) => occurrences.appear.length);
  return {
    title: first.renamedFrom === undefined ? titleOf(jobs) : `${first.job} (was ${first.renamedFrom})`,
    change: first.change,
    lines: [
      ...first.policies.map(policyWords),
      ...(vanish === 0 ? [] : [vanishWords(jobs, vanish)]),
      ...(moved === 0 ? [] : movedWords(jobs, moved)),
      ...(appear === 0 ? [] : [appearWords(jobs, appear)]),
      ...(vanish + moved + appear === 0 ? ['no occurrence changes'] : []),
    ],
    weight: jobs.length + (vanish > 0 ? 1e9 : moved > 0 ? 1e6 : appear > 0 ? 1e3 : 0),
  };
}

function titleOf(jobs: readonly JobChange[]): string {
  const names = listWords(jobs.map(({ job }) => job));
  return jobs.length > TOLD_ALONE ? `${count(jobs.length, 'job')}: ${names}` : names;
}

function vanishWords(jobs: readonly JobChange[], number: number): string {
  const lapsed = jobs.reduce((sum, { occurrences }) => sum + occurrences.lapsed.length, 0);
  const why =
    lapsed === 0 ? '' : number === 1 ? '; its new time is over' : `; the new time of ${share(lapsed, number)} is over`;
  return `${count(number, 'occurrence')} ${number === 1 ? 'vanishes' : 'vanish'}: ${extent(jobs, 'vanish')}${why}`;
}

function appearWords(jobs: readonly JobChange[], number: number): string {
  const repeated = jobs.reduce((sum, { occurrences }) => sum + occurrences.repeated.length, 0);
  const why =
    repeated === 0
      ? ''
      : number === 1
        ? '; its old time is over, so it comes twice'
        : `; the old time of ${share(repeated, number)} is over, so they come twice`;
  return `${count(number, 'occurrence')} ${number === 1 ? 'appears' : 'appear'}: ${extent(jobs, 'appear')}${why}`;
}

function share(number: number, all: number): string {
  return number === all ? 'each' : number.toLocaleString('en');
}

function extent(jobs: readonly JobChange[], kind: 'appear' | 'vanish'): string {
  const job = jobs.find(({ occurrences }) => occurrences[kind].length > 0);
  const instants = job?.occurrences[kind] ?? [];
  const zone = job?.timeZones[kind === 'vanish' ? 0 : 1] ?? 'UTC';
  const [first, last] = [instants[0] ?? 0, instants.at(-1) ?? 0];
  const of = jobs.length === 1 ? '' : `, e.g. ${job?.job}`;
  if (instants.length === 1) return `${wallWords(first, zone)} ${zone}${of}`;
  return `${wallWords(first, zone)} to ${wallWords(last, zone)} ${zone}${of}`;
}

function movedWords(jobs: readonly JobChange[], number: number): readonly string[] {
  const moves = jobs.flatMap(({ occurrences }) => occurrences.moved);
  const job = jobs.find(({ occurrences }) => occurrences.moved.length > 0);
  const first = job?.occurrences.moved[0];
  const [was, is] = job?.timeZones ?? ['UTC', 'UTC'];
  const of = jobs.length === 1 ? 'first' : `${job?.job} first`;
  return [
    `${count(number, 'occurrence')} ${number === 1 ? 'moves' : 'move'}${shiftWords(moves)}`,
    ...(first === undefined ? [] : [`${of} ${wallWords(first.from, was)} ${was} → ${wallWords(first.to, is)} ${is}`]),
  ];
}
