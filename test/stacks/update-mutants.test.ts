import { describe, expect, test } from 'vitest';
import { reviewUpdate } from '../../lib/domain/update/review-update.ts';
import type { ResourceTemplate, StackTemplate, TemplateValue } from '../../lib/domain/update/stack-template.ts';
import { APP_CHANGES, type Change, inFleet, inJob, inScheduler } from '../support/update/app-options.ts';
import type { Layout } from '../support/update/app-scopes.ts';
import { synthesised, usualApp } from '../support/update/update-app.ts';

/** The app as it is made, and with a fault put back into it that it once had: the rules must see the one and not the other. */
const app = (change: Change = (same) => same, layout: Layout = 'apart') => synthesised(change(usualApp(layout)));
const rules = (before: readonly StackTemplate[], after: readonly StackTemplate[]) => [
  ...new Set(reviewUpdate(before, after).map(({ rule }) => rule)),
];

type Resources = Readonly<Record<string, ResourceTemplate>>;
type Fault = (stacks: readonly StackTemplate[]) => readonly StackTemplate[];

/** The stacks with every resource of a type changed; what a change answers as undefined is left out. */
function mutated(type: string, change: (properties: Properties) => Properties): Fault {
  return (stacks) =>
    stacks.map((stack) => ({
      ...stack,
      template: {
        ...stack.template,
        Resources: Object.fromEntries(
          Object.entries(stack.template.Resources ?? {}).map(([logicalId, resource]) => [
            logicalId,
            resource.Type === type ? { ...resource, Properties: change(resource.Properties ?? {}) } : resource,
          ]),
        ),
      },
    }));
}
type Properties = Readonly<Record<string, TemplateValue>>;

const resourcesOf = (stacks: readonly StackTemplate[], type: string): ResourceTemplate[] =>
  stacks.flatMap(({ template }) => Object.values(template.Resources ?? {}).filter(({ Type }) => Type === type));

/** As a second environment beside the first. */
const beside = (stacks: readonly StackTemplate[], name: string, region?: string): readonly StackTemplate[] =>
  stacks.map((stack) => ({
    ...stack,
    name: `${name}-${stack.name}`,
    dependsOn: (stack.dependsOn ?? []).map((other) => `${name}-${other}`),
    target: { account: '111111111111', region: region ?? 'eu-west-1' },
  }));

/** What is exported only while a stack imports it. */
const exportedWhileUsed: Fault = (stacks) => {
  const imported = JSON.stringify(stacks.map(({ template }) => template.Resources));
  return stacks.map(({ template, ...stack }) => ({
    ...stack,
    template: {
      ...template,
      Outputs: Object.fromEntries(
        Object.entries(template.Outputs ?? {}).filter(
          ([, { Export }]) => Export === undefined || imported.includes(`"Fn::ImportValue":"${String(Export.Name)}"`),
        ),
      ),
    },
  }));
};

describe('two environments in one account and Region', () => {
  const [dev, prod] = ['dev', 'prod'].map((prefix) => beside(app(inScheduler(() => ({ prefix }))), prefix));
  const both = [...(dev ?? []), ...(prod ?? [])];

  test('do not meet', () => {
    expect(reviewUpdate([], both)).toEqual([]);
  });

  test('meet when schedules have the name of their job alone', () => {
    const bare = mutated('AWS::Scheduler::Schedule', ({ Name, ...rest }) => ({
      ...rest,
      Name: String(Name).replace(/^[^_.]+[_.]/, ''),
    }));
    expect(rules([], bare(both))).toEqual(['NameTaken']);
  });
});

describe('one environment in two Regions', () => {
  const both = ['eu-west-1', 'us-east-1'].flatMap((region) => beside(app(undefined), region, region));
  const inRegions = mutated('AWS::CloudWatch::Dashboard', (properties) => properties)(both);
  const named = (name: (stack: StackTemplate) => TemplateValue) =>
    inRegions.map((stack) => {
      const [only] = mutated('AWS::CloudWatch::Dashboard', (rest) => ({ ...rest, DashboardName: name(stack) }))([
        stack,
      ]);
      return only ?? stack;
    });

  test('does not meet itself', () => {
    // Both were synthesised for one Region; in its own, each says that.
    expect(
      reviewUpdate(
        [],
        named(({ target }) => `jobs-${target?.region}`),
      ),
    ).toEqual([]);
    const [dashboard] = resourcesOf(app(), 'AWS::CloudWatch::Dashboard');
    expect(JSON.stringify(dashboard?.Properties?.DashboardName)).toContain('jobs-eu-west-1');
  });

  test('meets itself when dashboards do not name the Region', () => {
    expect(
      rules(
        [],
        named(() => 'jobs'),
      ),
    ).toEqual(['NameTaken']);
  });
});

describe('an update', () => {
  test('is stuck when the stream of the table is exported only while it is used', () => {
    const [on, off] = [app(APP_CHANGES['lifecycle events']), app()];
    expect(rules(on, off)).toEqual([]);
    expect(rules(exportedWhileUsed(on), exportedWhileUsed(off))).toEqual(['ExportInUse']);
  });

  test('is stuck when the queue is exported only while it is used', () => {
    const [on, off] = [app(), app(APP_CHANGES['nothing that watches'])];
    expect(rules(on, off)).toEqual([]);
    expect(rules(exportedWhileUsed(on), exportedWhileUsed(off))).toEqual(['ExportInUse']);
  });

  test('is stuck when all stacks share one role of a fleet', () => {
    const spread = (change?: Change) => app(change, 'spread');
    const [fleet, none] = [spread(), spread(APP_CHANGES['no fleet'])];
    expect(rules(fleet, none)).toEqual([]);
    expect(rules(withOneRole(fleet), none)).toEqual(['ExportInUse']);
    const without = spread(inFleet((at) => ({ vpc: at.vpc })));
    expect(rules(fleet, without)).toEqual([]);
    const pathless = mutated('AWS::IAM::Role', ({ Path: _, ...rest }) => rest);
    expect(rules(withOneRole(fleet), withOneRole(pathless(without)))).toEqual(['ExportInUse']);
  });

  test('is stuck when an image has the name that the code had', () => {
    const [code, image] = [app(), app(inJob(() => ({})))];
    const asImage = mutated('AWS::Lambda::Function', (rest) => ({ ...rest, PackageType: 'Image' }));
    expect(rules(code, image)).toEqual([]);
    expect(rules(code, asImage(image))).toEqual(['NamedReplacement']);
  });
});

describe('what the services refuse', () => {
  const late = (now: Date) =>
    app((usual) => inJob(() => ({ schedule: '@every 7m' }))(inScheduler(() => ({ now }))(usual)));

  test('an interval is deployed alike at each synth, and begins at no instant that passes', () => {
    const [one, other] = [late(new Date('2026-11-29T00:00:00Z')), late(new Date('2026-12-24T18:03:00Z'))];
    expect(other).toEqual(one);
    const moving = mutated('AWS::Scheduler::Schedule', (rest) => ({ ...rest, StartDate: '2026-11-29T00:07:00Z' }));
    expect(startDates(one)).toEqual([]);
    expect(startDates(moving(one)).length).toBeGreaterThan(0);
  });

  test('no schedule fires in the past', () => {
    const now = new Date('2026-11-29T00:00:00Z');
    const passed = app(inJob(() => ({ schedule: ['at(2026-11-28T09:00:00)', 'at(2027-01-01T09:00:00)'] })));
    expect(past(passed, now)).toEqual([]);
    const rendered = mutated('AWS::Scheduler::Schedule', (rest) => ({
      ...rest,
      ScheduleExpression: String(rest.ScheduleExpression).replace('2027-01-01', '2026-11-28'),
    }));
    expect(past(rendered(passed), now)).toEqual(['at(2026-11-28T09:00:00)']);
  });

  test('a function that reads a stream may list the streams', () => {
    const told = app(APP_CHANGES['lifecycle events']);
    expect(readersWithoutListing(told)).toBe(0);
    const without = mutated('AWS::IAM::Role', (rest) =>
      JSON.parse(JSON.stringify(rest).replace('"dynamodb:ListStreams"', '"dynamodb:DescribeStream"')),
    );
    expect(readersWithoutListing(without(told))).toBe(1);
  });

  test('a first deployment: alarms have no message for being well, and silence is given time to begin', () => {
    const alarms = resourcesOf(app(), 'AWS::CloudWatch::Alarm').map(({ Properties = {} }) => Properties);
    expect(alarms.length).toBeGreaterThan(3);
    expect(alarms.filter(({ OKActions }) => OKActions !== undefined)).toEqual([]);
    const silent = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
    expect(silent.length).toBe(1);
    for (const alarm of silent) expect(alarm).toHaveProperty('WarmUpConfiguration');
  });
});

function startDates(stacks: readonly StackTemplate[]): readonly TemplateValue[] {
  return resourcesOf(stacks, 'AWS::Scheduler::Schedule').flatMap(({ Properties }) => Properties?.StartDate ?? []);
}

function past(stacks: readonly StackTemplate[], now: Date): readonly string[] {
  return resourcesOf(stacks, 'AWS::Scheduler::Schedule')
    .map(({ Properties }) => String(Properties?.ScheduleExpression))
    .filter((expression) => expression.startsWith('at(') && Date.parse(`${expression.slice(3, -1)}Z`) < now.getTime());
}

function readersWithoutListing(stacks: readonly StackTemplate[]): number {
  const roles = resourcesOf(stacks, 'AWS::IAM::Role').map((role) => JSON.stringify(role.Properties));
  return roles.filter((role) => role.includes('dynamodb:GetRecords') && !role.includes('dynamodb:ListStreams')).length;
}

/** One role for the functions of a fleet in the scheduler's stack, whose ARN the others import. */
const withOneRole: Fault = (stacks) => {
  const parts = stacks.filter(({ name }) => /^jobs-\d\d$/.test(name));
  const roleOf = ({ template }: StackTemplate) =>
    Object.keys(template.Resources ?? {}).find((logicalId) => /tenantRole/.test(logicalId)) ?? '';
  const [first] = parts;
  const role = first?.template.Resources?.[first === undefined ? '' : roleOf(first)];
  if (role === undefined) throw new Error('no stack has a role of the fleet');
  const shared = {
    Resources: { FleetRole: role },
    Outputs: { FleetRole: { Value: { 'Fn::GetAtt': ['FleetRole', 'Arn'] }, Export: { Name: 'jobs:FleetRole' } } },
  };
  return stacks.map((stack) => {
    const { template } = stack;
    if (stack.name === 'jobs') {
      return {
        ...stack,
        template: {
          Resources: { ...template.Resources, ...shared.Resources },
          Outputs: { ...template.Outputs, ...shared.Outputs },
        },
      };
    }
    if (!parts.includes(stack)) return stack;
    const reference = JSON.stringify({ 'Fn::GetAtt': [roleOf(stack), 'Arn'] });
    const text = JSON.stringify(template.Resources).replaceAll(reference, '{"Fn::ImportValue":"jobs:FleetRole"}');
    const { [roleOf(stack)]: _, ...resources } = JSON.parse(text) as Resources;
    return { ...stack, template: { ...template, Resources: resources } };
  });
};
