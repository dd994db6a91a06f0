import { Template } from 'aws-cdk-lib/assertions';
import { Stack } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { EnvironmentDashboard } from '../../lib/constructs/environment-dashboard.ts';
import { FleetAlarms } from '../../lib/constructs/fleet-alarms.ts';
import { estimateCost } from '../../lib/domain/cost/estimate.ts';
import { USUAL_ASSUMPTIONS } from '../../lib/domain/cost/monthly-usage.ts';
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
  expect(searches.length).toBeGreaterThanOrEqual(3);
  for (const search of searches) expect(search).toContain('Scheduler=');
});

test('every graph shows something', () => {
  const graphs = widgets().filter(({ type }) => type === 'metric');
  expect(graphs.length).toBeGreaterThanOrEqual(9);
  for (const { properties } of graphs) expect(properties.metrics?.length, properties.title).toBeGreaterThan(0);
});

/** Evaluates a line of the bill as CloudWatch's metric math would. */
function evaluate(expression: string, day: Readonly<Record<string, number>>): number {
  const text = expression.replaceAll(/FILL\((\w+),0\)/g, (_, metric: string) => String(day[metric] ?? 0));
  expect(text).toMatch(/^[\d.+*()]+$/);
  return text
    .replaceAll(/[()]/g, '')
    .split('+')
    .reduce((sum, product) => sum + product.split('*').reduce((value, factor) => value * Number(factor), 1), 0);
}

test('shows the whole bill: what one day of 1,000 hourly jobs comes to in a month', () => {
  const bill = widgets().find(({ properties }) => properties.title?.startsWith('USD a month'));
  const expressions = (bill?.properties.metrics ?? []).flatMap((metric) => {
    const [of] = metric as readonly { readonly expression?: string; readonly label?: string }[];
    return of?.expression === undefined ? [] : [[of.label ?? '', of.expression] as const];
  });
  const runs = 24_000;
  const day = {
    firings: runs,
    attempts: runs,
    durations: runs * 1_000,
    failures: 120,
    writes: runs * 3,
    reads: runs * 4,
  };
  const usd = new Map(expressions.map(([label, expression]) => [label, evaluate(expression, day)]));
  expect([...usd.keys()]).toEqual([
    'all',
    'invocations',
    'running time',
    'table',
    'logs of Belfry and Lambda',
    'watchdog, metrics, alarms, dashboard',
  ]);
  const [all = 0, ...lines] = usd.values();
  expect(lines.reduce((sum, line) => sum + line, 0)).toBeCloseTo(all, 6);
  const job = {
    runsAMonth: 730,
    maxAttempts: 1,
    memoryMiB: 256,
    alarms: 0,
    overlap: 'skip',
    metrics: 'scheduler',
  } as const;
  const jobs = Array.from({ length: 1_000 }, (_, index) => ({ name: `job-${index}`, ...job }));
  const scheduler = {
    alarms: 7,
    dashboards: 1,
    kmsKeys: 0,
    logRetentionDays: 90,
    lifecycleEvents: false,
    backup: false,
  };
  const { bill: modelled } = estimateCost(jobs, scheduler, USUAL_ASSUMPTIONS);
  expect(Math.abs(all / modelled.usd - 1)).toBeLessThan(0.02);
});
