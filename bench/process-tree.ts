import { readdirSync, readFileSync } from 'node:fs';

/** One process as Linux sees it now. */
export interface ProcessUse {
  readonly pid: number;
  readonly command: string;
  /** Megabytes: its own memory, and of what it shares with others its part. */
  readonly proportional: number;
  /** Megabytes that it shares with nobody, such as heaps and stacks. */
  readonly anonymous: number;
  /** Megabytes of RAM, what is shared counted in full. */
  readonly resident: number;
  /** Milliseconds of processor time since it started, its ended children's included. */
  readonly cpuMs: number;
}

/** What Linux counts processor time in, on every usual architecture. */
const TICK_MS = 10;

/** A process and all its descendants, the parent first. What ends while this looks is left out. */
export function processTree(root: number): ProcessUse[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.[1] : undefined;
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const tree = [root];
  for (const pid of tree) tree.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child));
  return tree.map(useOf).filter((use) => use !== undefined);
}

function useOf(pid: number): ProcessUse | undefined {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) / 1024;
    const stat = statOf(pid) ?? [];
    return {
      pid,
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim(),
      proportional: megabytes('Pss'),
      anonymous: megabytes('Pss_Anon'),
      resident: megabytes('Rss'),
      cpuMs: stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

/** The fields of /proc/<pid>/stat from the third on: the second is a name that may hold anything. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
