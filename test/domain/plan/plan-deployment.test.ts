import { expect, test } from 'vitest';
import type { JobDefinition } from '../../../lib/domain/job.ts';
import type { PlannedJob } from '../../../lib/domain/plan/deployment.ts';
import { planDeployment } from '../../../lib/domain/plan/plan-deployment.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const NOW = Date.parse('2026-12-01T08:00:30Z');
const MINUTE = 60_000;

function job(definition: Partial<JobDefinition> = {}, rest: Partial<PlannedJob> = {}): PlannedJob {
  return { scheduler: 'app', definition: jobDefinition(definition), isEnabled: true, functionDigest: 'f1', ...rest };
}

const at = (text: string) => Date.parse(`2026-12-01T${text}Z`);

test('a job that stays as it is is counted, whatever its function', () => {
  expect(planDeployment([job()], [job({}, { functionDigest: 'f2' })], NOW)).toMatchObject({ jobs: [], unchanged: 1 });
});

test('jobs of one name under two schedulers are two jobs; under one each, the same', () => {
  const [one, other] = [job(), job({}, { scheduler: 'app-2' })];
  expect(planDeployment([one, other], [one], NOW).jobs).toMatchObject([{ scheduler: 'app-2', change: 'removed' }]);
  expect(planDeployment([one], [other], NOW)).toMatchObject({
    jobs: [],
    unchanged: 1,
    prefix: { before: 'app', after: 'app-2' },
  });
});

test('a name that was given up before is one more job, and a former name that is still declared none', () => {
  const renamed = job({ name: 'load', renamedFrom: 'sync' });
  expect(planDeployment([job()], [renamed], NOW).jobs).toMatchObject([
    { job: 'load', change: 'changed', renamedFrom: 'sync', policies: [] },
  ]);
  expect(planDeployment([renamed], [renamed], NOW).jobs).toEqual([]);
  expect(planDeployment([job()], [job(), renamed], NOW).jobs).toMatchObject([{ job: 'load', change: 'added' }]);
});

test('each policy that differs is told, with the property it is', () => {
  const after = job({
    schedule: ['* * * * *'],
    overlap: 'bufferOne',
    timeoutMs: 120_000,
    retry: { maxAttempts: 5, backoff: 'exponential', initialDelayMs: 1_000, maxDelayMs: 1_000 },
    catchUp: { policy: 'latest', maxAgeMs: 3_600_000, maxRuns: 1 },
    dst: { gap: 'runAfter' },
  });
  const [change] = planDeployment([job()], [after], NOW).jobs;
  expect(change?.policies).toEqual([
    { policy: 'timeoutMs', before: 60_000, after: 120_000 },
    { policy: 'retry.maxAttempts', before: 3, after: 5 },
    { policy: 'retry.backoff', before: 'fixed', after: 'exponential' },
    { policy: 'overlap', before: 'skip', after: 'bufferOne' },
    { policy: 'dst.gap', after: 'runAfter' },
    { policy: 'catchUp.policy', after: 'latest' },
    { policy: 'catchUp.maxAgeMs', after: 3_600_000 },
    { policy: 'catchUp.maxRuns', after: 1 },
  ]);
});

test('a deployment meets what is due in ten minutes and what is probably running', () => {
  const nightly = job({ name: 'nightly', schedule: '0 3 * * *' });
  const hourly = job({ name: 'hourly', schedule: '5 * * * *', expectedDurationMs: 4 * MINUTE });
  const long = job({ name: 'long', schedule: '50 7 * * *', expectedDurationMs: 30 * MINUTE, timeoutMs: 60 * MINUTE });
  const jobs = [nightly, hourly, long];
  expect(planDeployment(jobs, jobs, NOW).disturbed).toMatchObject([
    { job: 'hourly', due: [at('08:05:00')], running: [], overBy: at('08:09:00'), touches: [], ifNotStarted: 'missed' },
    { job: 'long', due: [], running: [at('07:50:00')], overBy: at('08:20:00') },
  ]);
});

test('what becomes of an occurrence that is not started just then depends on the job after the deployment', () => {
  const hourly = job({ schedule: '5 * * * *' });
  const latest = { catchUp: { policy: 'latest', maxAgeMs: 3_600_000, maxRuns: 1 } } as const;
  const met = (after: PlannedJob[]) => planDeployment([hourly], after, NOW).disturbed[0];
  expect(met([])).toMatchObject({ touches: ['removed'], ifNotStarted: 'forgotten' });
  expect(met([job({ schedule: '6 * * * *', revision: 'r2', ...latest })])).toMatchObject({
    touches: ['schedule'],
    ifNotStarted: 'forgotten',
  });
  expect(met([job({ schedule: '5 8-9 * * *', revision: 'r2', ...latest })])?.ifNotStarted).toBe('startsLate');
  const harmful = { ...latest.catchUp, harmfulWhenLate: true };
  expect(met([job({ schedule: '5 * * * *', catchUp: harmful })])).toMatchObject({
    touches: [],
    ifNotStarted: 'missed',
  });
  expect(met([job({ schedule: '5 * * * *' }, { isEnabled: false })])?.touches).toEqual(['schedule']);
});

test('a quiet time is one at which it meets no job that it removes, renames or reschedules', () => {
  const hourly = job({ schedule: '5 * * * *', expectedDurationMs: 4 * MINUTE });
  const often = job({ name: 'often', schedule: '*/5 * * * *' });
  expect(planDeployment([hourly, often], [often], NOW).quietFrom).toBe(at('08:09:00'));
  expect(planDeployment([hourly, often], [hourly], NOW).quietFrom).toBeUndefined();
  expect(planDeployment([hourly], [job({ schedule: '5 * * * *' }, { functionDigest: 'f2' })], NOW).quietFrom).toBe(NOW);
});

test('jobs of a stack that stays behind are no removed jobs', () => {
  const left = job({ name: 'old' }, { isLeftBehind: true });
  expect(planDeployment([left, job()], [job()], NOW)).toMatchObject({ jobs: [], leftBehind: ['old'], unchanged: 1 });
  // Declared in another stack now: it is that job.
  expect(planDeployment([left], [job({ name: 'old' })], NOW)).toMatchObject({ jobs: [], leftBehind: [] });
});
