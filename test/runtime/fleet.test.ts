import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { dependenciesForEvents } from '../../lambdas/runtime/from-environment.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';

const root = mkdtempSync(join(tmpdir(), 'belfry-fleet-'));
const ENVIRONMENT = { BELFRY_TABLE: 'runs', BELFRY_ENVIRONMENT: 'test', BELFRY_SCHEDULER: 'test', AWS_REGION: 'local' };

function job(name: string): JobDefinition {
  return {
    name,
    schedule: '@daily',
    timeZone: 'UTC',
    dst: {},
    timeoutMs: 60_000,
    retry: { maxAttempts: 1, backoff: 'fixed', initialDelayMs: 0, maxDelayMs: 0 },
    overlap: 'skip',
    startGraceMs: 60_000,
    revision: 'r1',
  };
}

beforeAll(() => {
  vi.stubEnv('LAMBDA_TASK_ROOT', root);
  const jobs = [job('tenant-a'), job('tenant-b')];
  writeFileSync(join(root, 'jobs.json'), JSON.stringify({ jobs, handlers: { 'tenant-a': 0, 'tenant-b': 0 } }));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

test('a function that many jobs share finds the job of each event, and makes all else once', () => {
  const dependenciesFor = dependenciesForEvents({ ...ENVIRONMENT, BELFRY_FLEET: 'tenant' });
  const first = dependenciesFor({ job: 'tenant-a' });
  const second = dependenciesFor({ job: 'tenant-b' });
  expect([first.job.name, second.job.name]).toEqual(['tenant-a', 'tenant-b']);
  expect(second.store).toBe(first.store);
});

test('an event for a job that it does not run is an error', () => {
  const dependenciesFor = dependenciesForEvents({ ...ENVIRONMENT, BELFRY_FLEET: 'tenant' });
  expect(() => dependenciesFor({ job: 'other' })).toThrow(expect.objectContaining({ code: 'UnknownJob' }));
  expect(() => dependenciesFor('nonsense')).toThrow(expect.objectContaining({ code: 'UnknownJob' }));
});

test('a function of one job has that job, whatever the event says', () => {
  const dependenciesFor = dependenciesForEvents({ ...ENVIRONMENT, BELFRY_JOB: JSON.stringify(job('alone')) });
  expect(dependenciesFor({ job: 'other' }).job.name).toBe('alone');
});
