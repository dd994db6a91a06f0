import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalEvent } from '../../../lib/local/local-event.ts';
import { prepareSampleRuntime } from '../../support/sample-runtime.ts';
import { createToldApp } from '../../support/told-app.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const app = createToldApp();
let events: readonly LocalEvent[] = [];

/** `broken` fails for good from 12:15 to 12:25 and is well again; `flaky` needs a second attempt each time. */
beforeAll(async () => {
  const prepared = await prepareSampleRuntime(app.path, { from: NOON, speed: 5_000 });
  const { clock, runtime } = prepared;
  const ended = new Promise<void>((resolve) => clock.schedule(NOON + 44 * MINUTE, resolve));
  runtime.run();
  await ended;
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
  readonly error?: string;
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
      bus: 'belfry-dev-runs',
      source: 'belfry',
      detailType: 'Belfry Run State Change',
      detail: { version: 1, environment: 'dev', previousStatus: null, status: 'running', trigger: 'schedule' },
    });
  });

  test('each once, for every run', () => {
    for (let minute = 5; minute <= 40; minute += 5) {
      const fails = minute >= 15 && minute < 30;
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
      'Ticket: [dev] broken is not well',
      'Ticket: [dev] broken is still not well',
      'Ticket: [dev] broken is well again',
    ]);
  });
});
