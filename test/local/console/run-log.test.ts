import { expect, test } from 'vitest';
import { runLog } from '../../../lib/local/console/run-log.ts';

const AT = Date.parse('2026-11-29T19:14:00Z');

function runLine(requestId: string, more: object): string {
  return JSON.stringify({
    event: 'run',
    job: 'report',
    scheduledTime: '2026-11-29T19:14:00Z',
    requestId,
    at: '2026-11-29T19:14:01.500Z',
    ...more,
  });
}

const LOG = [
  'START RequestId: one Version: $LATEST',
  '2026-11-29T19:14:00.900Z\tone\tINFO\tloading',
  'START RequestId: other Version: $LATEST',
  runLine('one', {
    attempt: 1,
    status: 'pending',
    durationMs: 600,
    latenessMs: 900,
    fencingToken: 1,
    error: { name: 'SupplierError', message: '503' },
  }),
  '{"_aws":{},"requestId":"one"}',
  runLine('other', { scheduledTime: '2026-11-29T19:15:00Z', attempt: 1, status: 'succeeded' }),
  runLine('foreign', { job: 'another', attempt: 1, status: 'succeeded' }),
  'END RequestId: one',
  runLine('two', { attempt: 2, status: 'succeeded', durationMs: 40, latenessMs: 12_000, fencingToken: 2 }),
  '{"event": cut off',
].join('\n');

test('the attempts of a run and the lines of their invocations, and nobody else’s', () => {
  const { attempts, lines } = runLog(LOG, 'report', AT);
  expect(attempts).toEqual([
    {
      attempt: 1,
      status: 'pending',
      endedAt: AT + 1_500,
      durationMs: 600,
      latenessMs: 900,
      fencingToken: 1,
      requestId: 'one',
      error: 'SupplierError: 503',
    },
    {
      attempt: 2,
      status: 'succeeded',
      endedAt: AT + 1_500,
      durationMs: 40,
      latenessMs: 12_000,
      fencingToken: 2,
      requestId: 'two',
    },
  ]);
  expect(lines.map((line) => line.slice(0, 25))).toEqual([
    'START RequestId: one Vers',
    '2026-11-29T19:14:00.900Z\t',
    '{"event":"run","job":"rep',
    'END RequestId: one',
    '{"event":"run","job":"rep',
  ]);
});

test('a run that the log does not know has neither', () => {
  expect(runLog(LOG, 'report', 0)).toEqual({ attempts: [], lines: [] });
  expect(runLog('', 'report', AT)).toEqual({ attempts: [], lines: [] });
});
