import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AlarmResource } from '../../lib/local/assembly/resources.ts';
import { AlarmWorld, type Troubles } from '../support/alarm-world.ts';
import { deployedAlarms } from '../support/deployed-alarms.ts';
import { jobDefinition } from '../support/job-definition.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const CAUSE = 30;
const AT = NOON + CAUSE * MINUTE;

/** Every ten minutes, so that noon and half past twelve are occurrences of all of them. */
const of = (name: string, overrides: Parameters<typeof jobDefinition>[0] = {}) =>
  jobDefinition({ name, schedule: '*/10 * * * *', timeoutMs: 30 * SECOND, ...overrides });
const JOBS = [
  // The default catch-up: whatever was missed last, up to an hour ago.
  of('usual', { catchUp: { policy: 'latest', maxAgeMs: 60 * MINUTE, maxRuns: 1 } }),
  of('strict', { catchUp: { policy: 'none', maxAgeMs: 0, maxRuns: 1 } }),
];

/** Whenever the watchdog is fired within its minute, and whatever CloudWatch takes. */
const PACES = [0, 20, 59].flatMap((second) => [1, 2, 3, 4].map((seed) => ({ sweepsAtMs: second * SECOND, seed })));

let alarms: readonly AlarmResource[];
const table = new Map<string, string>();

beforeAll(() => {
  alarms = deployedAlarms();
  const docs = readFileSync(new URL('../../docs/watchdog.md', import.meta.url), 'utf8');
  for (const line of docs.split('\n')) {
    const [, name, , time] = line.split('|').map((cell) => cell.trim());
    if (name !== undefined && time !== undefined && /^(?:none|\d+:\d\d)/.test(time)) table.set(name, time);
  }
}, 120_000);

interface Received {
  readonly what: string;
  readonly atMs: number;
}

/** All that reaches the topics in an hour and a half, at every pace. */
async function live(troubles: Troubles, refuses = false): Promise<readonly (readonly Received[])[]> {
  const lives: (readonly Received[])[] = [];
  for (const pace of PACES) {
    const world = new AlarmWorld(alarms, NOON, JOBS, troubles, pace);
    if (refuses) world.notifier.refuses = () => true;
    await world.run(90);
    lives.push(world.received);
  }
  return lives;
}

/** From the cause to a message, from the quickest to the slowest of all paces. */
function timeTo(what: string, lives: readonly (readonly Received[])[], causeMs = CAUSE * MINUTE): string {
  const times = lives.map((received) => {
    const found = received.find((message) => message.what === what);
    if (found === undefined) throw new Error(`'${what}' is not in ${JSON.stringify(received)}`);
    return found.atMs - causeMs;
  });
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return least === most ? clock(least) : `${clock(least)} to ${clock(most)}`;
}

function clock(ms: number): string {
  const seconds = Math.ceil(ms / SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function kinds(lives: readonly (readonly Received[])[]): string[] {
  return [...new Set(lives.map((received) => received.map(({ what }) => what).join('; ')))];
}

const once =
  (job: string): NonNullable<Troubles['firing']> =>
  (name, scheduledTime) =>
    name === job && scheduledTime === AT ? [] : [0];

describe('from the cause to the message, as docs/watchdog.md has it', () => {
  test('first deployment', async () => {
    const lives = await live({ sweep: (minute) => (minute < 6 ? 'none' : undefined) });
    expect(kinds(lives)).toEqual(['']);
    expect(table.get('first deployment')).toBe('none');
  });

  test('a missed run', async () => {
    const lives = await live({ firing: once('strict') });
    expect(timeTo('opened late strict', lives)).toBe(table.get('a missed run'));
    for (const said of kinds(lives)) expect(said.split('; ')[0]).toBe('opened late strict');
  });

  test('a missed run, metrics three minutes late', async () => {
    const lives = await live({ firing: once('strict'), lateLines: () => 3 * MINUTE });
    expect(timeTo('opened late strict', lives)).toBe(table.get('a missed run, metrics three minutes late'));
  });

  test('a missed run that the topic refuses', async () => {
    const lives = await live({ firing: once('strict') }, true);
    expect(timeTo('Untold ALARM', lives)).toBe(table.get('a missed run that the topic refuses'));
  });

  test('a missed run that the topic refuses, one metric three minutes late', async () => {
    const late = (minute: number) => (minute === CAUSE + 2 ? 3 * MINUTE : 0);
    const lives = await live({ firing: once('strict'), lateLines: late }, true);
    expect(timeTo('Untold ALARM', lives)).toBe(
      table.get('a missed run that the topic refuses, one metric three minutes late'),
    );
  });

  test('a function that never claims', async () => {
    const lives = await live({ starts: (job, minute) => job !== 'usual' || minute < CAUSE });
    expect(timeTo('opened late usual', lives)).toBe(table.get('a function that never claims'));
  });

  test('a schedule disabled by hand', async () => {
    const lives = await live({ firing: (job, scheduledTime) => (job === 'usual' && scheduledTime >= AT ? [] : [0]) });
    expect(timeTo('opened late usual', lives)).toBe(table.get('a schedule disabled by hand'));
    // Told once, though the watchdog starts each of its occurrences from here on.
    for (const said of kinds(lives)) expect(said.match(/opened/g)).toHaveLength(1);
  });

  test('a watchdog killed', async () => {
    const lives = await live({ sweep: (minute) => (minute >= CAUSE ? 'none' : undefined) });
    expect(kinds(lives)).toEqual(['WatchdogSilent ALARM']);
    expect(timeTo('WatchdogSilent ALARM', lives)).toBe(table.get('a watchdog killed'));
  });

  test('recovery of the watchdog', async () => {
    const lives = await live({ sweep: (minute) => (minute >= 20 && minute < CAUSE ? 'none' : undefined) });
    expect(timeTo('closed silent the watchdog', lives)).toBe(table.get('recovery of the watchdog'));
  });

  test('recovery of a job', async () => {
    const lives = await live({ firing: (job, time) => (job === 'usual' && time === AT - 10 * MINUTE ? [] : [0]) });
    expect(timeTo('closed late usual', lives)).toBe(table.get('recovery of a job'));
  });
});

test('every promise of the table is kept: told within startGrace and two minutes and fifteen seconds', () => {
  for (const name of ['a missed run', 'a missed run, metrics three minutes late', 'a function that never claims']) {
    const slowest = table.get(name)?.split(' to ').at(-1) ?? '';
    const [minutes = Number.NaN, seconds = Number.NaN] = slowest.split(':').map(Number);
    const startGrace = 60;
    expect([name, 60 * minutes + seconds <= startGrace + 135]).toEqual([name, true]);
  }
});
