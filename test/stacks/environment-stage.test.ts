import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EnvironmentStage } from '../../lib/stacks/environment-stage.ts';
import { environments } from '../../lib/stacks/environments.ts';
import { jobSchedules, quietApp } from '../constructs/scheduler-app.ts';

const outdir = mkdtempSync(join(tmpdir(), 'belfry-stacks-'));
const stages = new Map<string, EnvironmentStage>();

beforeAll(() => {
  const app = quietApp(outdir);
  for (const environment of environments) stages.set(environment.name, new EnvironmentStage(app, environment));
  app.synth();
});
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

function stackOf(environment: string, id: string): Stack {
  const stack = stages.get(environment)?.node.findChild(id);
  if (stack === undefined) throw new Error(`no stack ${environment}/${id}`);
  return stack as Stack;
}

describe.each(['dev', 'staging', 'prod'])('%s', (environment) => {
  test('no schedule that fires goes on trying for a day, which is the default of EventBridge Scheduler', () => {
    const stacks = stages.get(environment)?.node.children.filter((child) => child instanceof Stack) ?? [];
    const schedules = stacks.flatMap((stack) =>
      Object.values(Template.fromStack(stack).findResources('AWS::Scheduler::Schedule')),
    );
    const firing = schedules.filter(({ Properties }) => Properties.State !== 'DISABLED');
    expect(firing.length).toBeGreaterThan(3);
    for (const { Properties } of firing) {
      expect(Properties.Target.RetryPolicy?.MaximumEventAgeInSeconds, Properties.Name).toBeLessThanOrEqual(3_600);
    }
  });

  test('declares the four sample jobs', () => {
    const schedules = Object.values(jobSchedules(Template.fromStack(stackOf(environment, 'jobs'))));
    expect(schedules.map(({ Properties }) => [Properties.Name, Properties.ScheduleExpressionTimezone])).toEqual(
      expect.arrayContaining([
        [`belfry-${environment}-jobs_heartbeat`, 'UTC'],
        [`belfry-${environment}-jobs_invoice-dunning`, 'America/New_York'],
        [`belfry-${environment}-jobs_db-cleanup`, 'UTC'],
      ]),
    );
    expect(schedules.map(({ Properties }) => Properties.Name)).toContain(`belfry-${environment}-jobs_usage-report`);
    expect(schedules).toHaveLength(4);
  });

  test('puts its alarms on three topics', () => {
    Template.fromStack(stackOf(environment, 'watch')).resourceCountIs('AWS::SNS::Topic', 3);
  });

  test('has nothing to warn about', () => {
    for (const id of ['state', 'jobs', 'watch']) {
      expect(Annotations.fromStack(stackOf(environment, id)).findWarning('*', Match.anyValue())).toEqual([]);
    }
  });
});

test('production keeps its tables, development does not', () => {
  const policies = (environment: string) =>
    Object.values(Template.fromStack(stackOf(environment, 'state')).findResources('AWS::DynamoDB::GlobalTable')).map(
      ({ DeletionPolicy }) => DeletionPolicy,
    );
  expect(policies('prod')).toEqual(['Retain', 'Retain']);
  expect(policies('dev')).toEqual(['Delete', 'Delete']);
});

test('staging declares dunning without firing it', () => {
  Template.fromStack(stackOf('staging', 'jobs')).hasResourceProperties('AWS::Scheduler::Schedule', {
    Name: 'belfry-staging-jobs_invoice-dunning',
    State: 'DISABLED',
  });
});

test('the weekday job goes to EventBridge in New York time', () => {
  Template.fromStack(stackOf('prod', 'jobs')).hasResourceProperties('AWS::Scheduler::Schedule', {
    Name: 'belfry-prod-jobs_invoice-dunning',
    ScheduleExpression: Match.stringLikeRegexp('^cron\\(0 8 \\? \\* .* \\*\\)$'),
    ScheduleExpressionTimezone: 'America/New_York',
  });
});
