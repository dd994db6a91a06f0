import { Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { EnvironmentDashboard } from '../../lib/constructs/environment-dashboard.ts';
import { FleetAlarms } from '../../lib/constructs/fleet-alarms.ts';
import { schedulerApp } from './scheduler-app.ts';

interface Widget {
  readonly type: string;
  readonly properties: { readonly markdown?: string; readonly title?: string; readonly metrics?: readonly unknown[] };
}

function widgets(): readonly Widget[] {
  const { app, scheduler } = schedulerApp();
  const watch = new Stack(app, 'Watch');
  const { alarms } = new FleetAlarms(watch, 'Alarms', { scheduler });
  new EnvironmentDashboard(watch, 'Overview', { scheduler, alarms });
  const [dashboard] = Object.values(Template.fromStack(watch).findResources('AWS::CloudWatch::Dashboard'));
  expect(dashboard?.Properties.DashboardName).toEqual({ 'Fn::Sub': 'belfry-test-\u0024{AWS::Region}' });
  const body = dashboard?.Properties.DashboardBody['Fn::Join'][1].map((part: unknown) =>
    typeof part === 'string' ? part : 'token',
  );
  return JSON.parse(body.join('')).widgets;
}

test('answers five questions, from top to bottom', () => {
  const questions = widgets().flatMap(({ properties }) => properties.markdown ?? []);
  expect(questions).toEqual(
    ['What ran', 'What is late', 'What failed', 'How long', 'What does it cost'].map((one) => `## ${one}`),
  );
});

test('finds the jobs when it is looked at', () => {
  const searches = widgets().flatMap(
    ({ properties }) => JSON.stringify(properties.metrics ?? '').match(/SEARCH\([^)]*\)/g) ?? [],
  );
  expect(searches.length).toBeGreaterThanOrEqual(5);
  for (const search of searches) expect(search).toContain('Scheduler=');
});

test('every graph shows something', () => {
  const graphs = widgets().filter(({ type }) => type === 'metric');
  expect(graphs.length).toBeGreaterThanOrEqual(9);
  for (const { properties } of graphs) expect(properties.metrics?.length, properties.title).toBeGreaterThan(0);
});
