import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalEvent } from '../../../lib/local/local-event.ts';
import { belfry } from '../../support/belfry-cli.ts';
import { eventually } from '../../support/eventually.ts';
import { prepareRuntime } from '../../support/prepare-runtime.ts';
import { createToldApp } from '../../support/told-app.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const app = createToldApp();
let events: readonly LocalEvent[] = [];
/** What people asked for in the end, and what came of it. */
let asked: Readonly<Record<'manual' | 'backfill' | 'skipped', string>>;
let paused: unknown;

async function json(...args: string[]) {
  const { code, stdout, stderr } = await belfry([...args, '--local', '--json'], { cwd: app.path });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function succeeded(scheduledTime: string): Promise<string> {
  await eventually(async () => {
    expect((await json('run', 'broken', scheduledTime)).status).toBe('succeeded');
  });
  return scheduledTime;
}

async function askForThings(): Promise<void> {
  const by = (name: string, note: string) => ['--by', name, '--note', note];
  const manual = await json('trigger', 'broken', ...by('ann', 'after the import'));
  const past = new Date(NOON - 55 * MINUTE).toISOString();
  const backfill = await json('backfill', 'broken', '--from', past, '--to', past, ...by('bob', 'a hole of old'));
  const { jobs } = await json('jobs');
  const { next } = (jobs as { name: string; next: string }[]).find(({ name }) => name === 'broken') ?? { next: '' };
  await json('skip', 'broken', next, ...by('cid', 'holiday'));
  await json('pause', 'broken', ...by('dan', 'restoring a backup'));
  paused = (await json('jobs', '--paused')).jobs;
  await json('resume', 'broken', ...by('eve', 'restored'));
  asked = {
    manual: await succeeded(manual.scheduledTime),
    backfill: await succeeded(backfill.asked[0]),
    skipped: next,
  };
}

/** `broken` fails for good at 12:10 and 12:15 and is well again; `flaky` needs a second attempt each time. */
beforeAll(async () => {
  const prepared = await prepareRuntime(app.path, { from: NOON, speed: 5_000 });
  const { clock, runtime } = prepared;
  const ended = new Promise<void>((resolve) => clock.schedule(NOON + 29 * MINUTE, resolve));
  runtime.run();
  await ended;
  clock.setSpeed(1);
  await askForThings();
  await runtime.stop(30_000);
  events = prepared.events;
}, 300_000);

afterAll(() => app[Symbol.dispose]());

interface Detail {
  readonly job: string;
  readonly scheduledTime: string;
  readonly status: string;
  readonly previousStatus: string | null;
  readonly attempt: number;
  readonly trigger: string;
  readonly requestedBy?: string;
  readonly requestNote?: string;
}

const changes = () =>
  events.flatMap((event) => (event.type === 'event' ? [{ ...event, detail: event.detail as Detail }] : []));

function lifeOf(job: string, minute: number): string[] {
  const scheduledTime = new Date(NOON + minute * MINUTE).toISOString().replace('.000Z', 'Z');
  return changes()
    .filter(({ detail }) => detail.job === job && detail.scheduledTime === scheduledTime)
    .map(({ detail }) => `${detail.previousStatus} > ${detail.status} ${detail.attempt}`);
}

const WELL = ['null > running 1', 'running > succeeded 1'];
const SECOND = ['null > running 1', 'running > pending 1', 'pending > running 2'];

describe("a run's changes of state reach the bus, in order", () => {
  test('as events of the documented form', () => {
    const [first] = changes();
    expect(first).toMatchObject({
      bus: 'dev-all-runs',
      source: 'belfry',
      detailType: 'Belfry Run State Change',
      detail: { version: 1, environment: 'dev', previousStatus: null, status: 'running', trigger: 'schedule' },
    });
  });

  test('each once, for every run', () => {
    for (let minute = 5; minute <= 20; minute += 5) {
      const fails = minute >= 10 && minute < 20;
      expect(lifeOf('broken', minute), `broken ${minute}`).toEqual(fails ? [...SECOND, 'running > failed 2'] : WELL);
      expect(lifeOf('flaky', minute), `flaky ${minute}`).toEqual([...SECOND, 'running > succeeded 2']);
    }
  });
});

describe('people are told by job', () => {
  const published = () =>
    events.flatMap((event) => {
      const [, topic, subject] = /^published to (.*?): (.*)$/.exec(event.type === 'note' ? event.text : '') ?? [];
      return topic === undefined ? [] : [`${/Page|Ticket|Warn/.exec(topic)?.[0]}: ${subject}`];
    });

  test('once when it stops being well, once more after the interval, once when it is well again; never of a retry that succeeds', () => {
    expect(published()).toEqual([
      'Ticket: [dev] broken failed',
      'Ticket: [dev] still: broken failed',
      'Ticket: [dev] broken is well again',
    ]);
  });
});

describe('what people asked for can be read back, when all is over', () => {
  test.each([
    ['manual', { trigger: 'manual', status: 'succeeded', requestedBy: 'ann', requestNote: 'after the import' }],
    ['backfill', { trigger: 'backfill', status: 'succeeded', requestedBy: 'bob', requestNote: 'a hole of old' }],
    ['skipped', { cause: 'requested by cid', status: 'skipped', requestedBy: 'cid', requestNote: 'holiday' }],
  ] as const)('%s: in the record, and in the events', async (what, expected) => {
    const run = await json('run', 'broken', asked[what]);
    expect(run).toMatchObject({ ...expected, requestedAt: expect.any(String) as unknown });
    const told = changes().filter(({ detail }) => detail.scheduledTime === asked[what] && detail.job === 'broken');
    expect(told.at(-1)?.detail).toMatchObject(expected);
    expect(new Set(told.map(({ detail }) => detail.requestedBy))).toEqual(new Set([expected.requestedBy]));
  });

  test('a pause, while it lasted', () => {
    expect(paused).toMatchObject([{ name: 'broken', pause: { by: 'dan', note: 'restoring a backup' } }]);
  });

  test('and verify proves the ledger complete', async () => {
    expect(await json('verify')).toMatchObject({ findings: [] });
  });
});
