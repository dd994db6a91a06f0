import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

const DAILY = { schedule: '@daily', timeZone: 'UTC', entry: 'job.ts' };

function withRoster(lines: string) {
  const created = schedulerApp({ roster: 'jobs.roster' });
  writeFileSync(join(created.root, 'jobs.roster'), lines);
  return created;
}

test('a job that was renamed without a word is an error that says what to write', () => {
  const { app, scheduler } = withRoster('# deployed\ndunning\n');
  new ScheduledJob(scheduler, 'invoice-dunning', DAILY);
  expect(() => app.synth()).toThrow(/JobGone: job 'dunning' is listed .* say renamedFrom: 'dunning' there/);
});

test('a job that says what it was called before is not gone', () => {
  const { app, scheduler } = withRoster('dunning\ninvoice-dunning\n');
  const job = new ScheduledJob(scheduler, 'invoice-dunning', { ...DAILY, renamedFrom: 'dunning' });
  app.synth();
  expect(job.definition.renamedFrom).toBe('dunning');
});

test('a job that is new must be listed', () => {
  const { app, scheduler } = withRoster('dunning\n');
  new ScheduledJob(scheduler, 'dunning', DAILY);
  new ScheduledJob(scheduler, 'cleanup', DAILY);
  expect(() => app.synth()).toThrow(/JobNotListed: job 'cleanup' is not listed in .*jobs\.roster: add a line/);
});

test('the jobs of the list are no fault', () => {
  const { app, scheduler } = withRoster('dunning\n\n');
  new ScheduledJob(scheduler, 'dunning', DAILY);
  app.synth();
  expect(scheduler.jobs).toHaveLength(1);
});
