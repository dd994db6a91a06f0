import type { JobDefinition } from '../../lib/domain/job.ts';

/** A job that is due every minute, in UTC, with the usual policies. */
export function jobDefinition(overrides: Partial<JobDefinition> = {}): JobDefinition {
  return {
    name: 'sync',
    schedule: '* * * * *',
    timeZone: 'UTC',
    dst: {},
    timeoutMs: 60_000,
    retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1_000, maxDelayMs: 1_000 },
    overlap: 'skip',
    startGraceMs: 60_000,
    revision: 'r1',
    ...overrides,
  };
}
