import { expect, it } from 'vitest';
import type { FunctionResource, LocalResources } from '../../../lib/local/assembly/resources.ts';
import { planReload } from '../../../lib/local/reload/plan-reload.ts';
import { scheduleResource } from '../../../lib/local/schedules/schedule-resource.ts';
import { jobDefinition } from '../../support/job-definition.ts';

function functionOf(name: string, codePath: string): FunctionResource {
  return {
    name,
    arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    handler: 'index.handler',
    runtime: 'nodejs24.x',
    region: 'us-east-1',
    codePath,
    timeoutMs: 3_000,
    memoryMb: 128,
    variables: {},
    logGroupName: name,
    asyncInvoke: { maximumRetryAttempts: 2, maximumEventAgeMs: 21_600_000 },
    jobs: [],
  };
}

function resourcesOf(overrides: Partial<LocalResources>): LocalResources {
  return {
    tables: [],
    functions: [],
    schedules: [],
    alarms: [],
    queues: new Map(),
    topics: new Map(),
    scheduleGroups: new Set(),
    streams: [],
    buses: new Set(),
    notes: [],
    ...overrides,
  };
}

const nightly = (expression: string) => scheduleResource('nightly', 'g', { ScheduleExpression: expression });

const RUNS_NOTHING = { ScheduleExpression: 'at(2099-12-31T00:00:00)', State: 'DISABLED' };
const ofJob = (name: string, expression: string) =>
  scheduleResource(name, 'g', { ScheduleExpression: expression, Target: { Input: JSON.stringify({ job: name }) } });

function jobFunction(name: string, codePath: string): FunctionResource {
  const job = jobDefinition({ name });
  return { ...functionOf(`belfry-dev-${name}`, codePath), job, jobs: [job] };
}

it('tells what became of functions and schedules that are of no job', () => {
  const before = resourcesOf({
    functions: [functionOf('kept', 'a'), functionOf('changed', 'a'), functionOf('gone', 'a')],
    schedules: [nightly('cron(0 1 * * ? *)')],
  });
  const after = resourcesOf({
    functions: [functionOf('kept', 'a'), functionOf('changed', 'b'), functionOf('new', 'a')],
    schedules: [nightly('cron(0 2 * * ? *)')],
  });
  expect(planReload(before, after)).toEqual({
    isNeeded: true,
    changedFunctions: new Set(['changed']),
    summary: ['new function new', 'changed function changed', 'removed function gone', 'changed schedule nightly'],
  });
});

it('tells of jobs by their names, and not of what they are made of', () => {
  const manifest = (name: string, input: string) =>
    scheduleResource(name, 'g', { ...RUNS_NOTHING, Target: { Input: input } });
  const before = resourcesOf({
    functions: [jobFunction('kept', 'a'), jobFunction('coded', 'a'), jobFunction('due', 'a'), jobFunction('gone', 'a')],
    schedules: [
      ...['kept', 'coded', 'due', 'gone'].map((name) => ofJob(name, 'rate(1 hour)')),
      manifest('dev.manifest', 'a'),
    ],
  });
  const after = resourcesOf({
    functions: [jobFunction('kept', 'a'), jobFunction('coded', 'b'), jobFunction('due', 'a'), jobFunction('new', 'a')],
    schedules: [
      ...['kept', 'coded', 'new'].map((name) => ofJob(name, 'rate(1 hour)')),
      ofJob('due', 'rate(2 hours)'),
      manifest('dev.manifest-00', 'b'),
    ],
  });
  expect(planReload(before, after)).toEqual({
    isNeeded: true,
    changedFunctions: new Set(['belfry-dev-coded']),
    summary: ['new job new', 'changed jobs coded, due', 'removed job gone'],
  });
});

it('takes over what changed inside, with nothing to say of it', () => {
  const manifest = (input: string) =>
    scheduleResource('dev.manifest', 'g', { ...RUNS_NOTHING, Target: { Input: input } });
  const plan = planReload(resourcesOf({ schedules: [manifest('a')] }), resourcesOf({ schedules: [manifest('b')] }));
  expect(plan).toEqual({ isNeeded: true, changedFunctions: new Set(), summary: [] });
});

it('has nothing to do when nothing changed', () => {
  const same = () => resourcesOf({ functions: [functionOf('kept', 'a')], schedules: [nightly('cron(0 1 * * ? *)')] });
  expect(planReload(same(), same())).toEqual({ isNeeded: false, changedFunctions: new Set(), summary: [] });
});
