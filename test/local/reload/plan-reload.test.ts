import { expect, it } from 'vitest';
import type { FunctionResource, LocalResources } from '../../../lib/local/assembly/resources.ts';
import { planReload } from '../../../lib/local/reload/plan-reload.ts';
import { scheduleResource } from '../../../lib/local/schedules/schedule-resource.ts';

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

it('tells what changed, what is new and what is gone', () => {
  const before = resourcesOf({
    functions: [functionOf('kept', 'a'), functionOf('changed', 'a'), functionOf('gone', 'a')],
    schedules: [nightly('cron(0 1 * * ? *)')],
  });
  const after = resourcesOf({
    functions: [functionOf('kept', 'a'), functionOf('changed', 'b'), functionOf('new', 'a')],
    schedules: [nightly('cron(0 2 * * ? *)')],
  });
  expect(planReload(before, after)).toEqual({
    changedFunctions: new Set(['changed']),
    summary: ['new function new', 'changed function changed', 'removed function gone', 'changed schedule nightly'],
  });
});

it('has nothing to say when nothing changed', () => {
  const same = () => resourcesOf({ functions: [functionOf('kept', 'a')], schedules: [nightly('cron(0 1 * * ? *)')] });
  expect(planReload(same(), same())).toEqual({ changedFunctions: new Set(), summary: [] });
});
