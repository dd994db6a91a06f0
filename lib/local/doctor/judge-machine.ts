import { type Finding, ok, wrong } from './finding.ts';

const MEGABYTE = 1024 * 1024;
/** Bundles, logs and tables of a day's work. */
const LEAST_FREE_MB = 500;
const NODE_MAJOR = 24;
/** Zones change their rules several times a year; some with a few weeks' notice. */
const OLDEST_TZ_YEARS = 2;
/** AWS refuses requests that are five minutes off, but occurrences come out late long before. */
const MOST_SKEW_MS = 5_000;

/** @param version like `v24.22.3` */
export function judgeNode(version: string): Finding {
  const major = Number(/^v?(\d+)\./.exec(version)?.[1] ?? 0);
  if (major >= NODE_MAJOR) return ok('node', `Node ${version}`);
  return wrong(
    'node',
    `Node ${version}, while the functions run on Node ${NODE_MAJOR}`,
    `run through npm scripts ('npm run belfry -- doctor'), which use the Node ${NODE_MAJOR} that 'npm ci' brings on Linux; elsewhere install Node ${NODE_MAJOR}`,
  );
}

export interface Disk {
  readonly folder: string;
  readonly freeBytes: number;
  /** Why nothing can be written there, when nothing can. */
  readonly refusal?: string;
}

export function judgeDisk({ folder, freeBytes, refusal }: Disk): Finding {
  const free = Math.floor(freeBytes / MEGABYTE);
  if (refusal !== undefined) {
    return wrong(
      'disk',
      `${folder} cannot be written: ${refusal}`,
      `give yourself write permission on ${folder}, or work in a folder of yours`,
    );
  }
  if (free >= LEAST_FREE_MB) return ok('disk', `${free.toLocaleString('en')} MB free in ${folder}`);
  return wrong(
    'disk',
    `${free} MB free in ${folder}, at least ${LEAST_FREE_MB} MB are needed`,
    "free some space; '.belfry' and 'cdk.out' in the project may be deleted ('npm start -- --fresh' forgets the local data)",
  );
}

/** @param version of the bundled IANA database, like `2026b`; undefined when Node has none */
export function judgeTimeZones(version: string | undefined, zones: readonly string[], now: number): Finding {
  const update = 'install the latest release of your Node major: each brings the current time zone database';
  if (version === undefined || !zones.includes('America/New_York')) {
    return wrong(
      'time zones',
      `this Node knows ${zones.length} time zones only`,
      'install a Node with full ICU, as nodejs.org publishes it',
    );
  }
  const age = new Date(now).getUTCFullYear() - Number(version.slice(0, 4));
  if (age < OLDEST_TZ_YEARS) return ok('time zones', `tz database ${version}, ${zones.length} zones`);
  return wrong(
    'time zones',
    `the tz database is ${version}, ${age} years old: newer rules of zones are unknown`,
    update,
  );
}

export interface ClockReading {
  /** Where the other clock is. */
  readonly source: string;
  readonly theirs: number;
  /** Ours, in the middle of the request. */
  readonly ours: number;
}

/** Without another clock to compare with, one that is behind the software's own age is still known to be wrong. */
export function judgeClock(now: number, tzVersion: string | undefined, reading: ClockReading | undefined): Finding {
  const fix =
    "let the clock be set by NTP ('timedatectl set-ntp true' on Linux); in a virtual machine or WSL, restart it after the host slept";
  const year = Number(tzVersion?.slice(0, 4) ?? 0);
  const shown = new Date(now).toISOString();
  if (new Date(now).getUTCFullYear() < year) {
    return wrong(
      'clock',
      `the clock shows ${shown}, before this Node's time zone database was made (${tzVersion})`,
      fix,
    );
  }
  if (reading === undefined) {
    return ok('clock', `${shown}; there was no other clock to compare it with (--endpoint or --environment names one)`);
  }
  const skew = reading.ours - reading.theirs;
  // The other side tells whole seconds.
  if (Math.abs(skew) <= MOST_SKEW_MS) return ok('clock', `${shown}, as ${reading.source} has it`);
  const seconds = Math.round(Math.abs(skew) / 1_000).toLocaleString('en');
  return wrong('clock', `the clock is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} that of ${reading.source}`, fix);
}
