import { describe, expect, test } from 'vitest';
import { reviewUpdate } from '../../../lib/domain/update/review-update.ts';
import type { ResourceTemplate, StackTemplate, TemplateValue } from '../../../lib/domain/update/stack-template.ts';

type Properties = { readonly [name: string]: TemplateValue };

const resource = (Type: string, Properties: Properties = {}, DeletionPolicy?: string): ResourceTemplate => ({
  Type,
  Properties,
  ...(DeletionPolicy === undefined ? {} : { DeletionPolicy }),
});

const stack = (
  name: string,
  Resources: { readonly [logicalId: string]: ResourceTemplate },
  rest: Partial<StackTemplate> & { readonly exports?: Readonly<Record<string, TemplateValue>> } = {},
): StackTemplate => {
  const { exports = {}, ...others } = rest;
  const outputs = Object.entries(exports).map(([Name, Value]) => [Name, { Value, Export: { Name } }] as const);
  return { name, template: { Resources, Outputs: Object.fromEntries(outputs) }, ...others };
};

const rulesOf = (before: readonly StackTemplate[], after: readonly StackTemplate[]) =>
  reviewUpdate(before, after).map(({ rule, stack: where, resource: what }) =>
    [rule, where, what].filter((part) => part !== undefined).join(' '),
  );

const schedule = (Name: string, GroupName = 'g') => resource('AWS::Scheduler::Schedule', { Name, GroupName });
const job = (name: string, more: Properties = {}) => resource('AWS::Lambda::Function', { FunctionName: name, ...more });
const role = (Path?: string) => resource('AWS::IAM::Role', Path === undefined ? {} : { Path });

test('nothing is said of what stays as it is, nor of a first deployment', () => {
  const stacks = [stack('one', { F: job('a'), S: schedule('a'), R: role('/x/') })];
  expect(reviewUpdate(stacks, stacks)).toEqual([]);
  expect(reviewUpdate([], stacks)).toEqual([]);
  expect(reviewUpdate(stacks, [])).toEqual([]);
});

describe('exports', () => {
  const queue = { Q: resource('AWS::SQS::Queue') };
  const arn = { 'Fn::GetAtt': ['Q', 'Arn'] };
  const producer = stack('producer', queue, { exports: { queue: arn } });
  const importer = (name = 'importer') =>
    stack(name, { F: job('a', { Dead: { 'Fn::ImportValue': 'queue' } }) }, { dependsOn: ['producer'] });

  test('one that goes while a stack imports it that is updated later', () => {
    const found = reviewUpdate([producer, importer()], [stack('producer', queue), stack('importer', { F: job('a') })]);
    expect(found).toEqual([
      expect.objectContaining({
        rule: 'ExportInUse',
        stack: 'producer',
        why: expect.stringMatching(/'queue' .* is removed while importer/),
      }),
    ]);
  });

  test('one that nobody imports may go', () => {
    expect(rulesOf([producer], [stack('producer', queue)])).toEqual([]);
  });

  test('one whose importer is updated first may go', () => {
    const after = [stack('producer', queue, { dependsOn: ['importer'] }), stack('importer', { F: job('a') })];
    expect(rulesOf([producer, importer()], after)).toEqual([]);
  });

  test('an importer that the app does not have any more stays deployed', () => {
    const [found] = reviewUpdate([producer, importer('gone')], [stack('producer', queue)]);
    expect(found?.wayOut).toMatch(/^destroy gone first/);
  });

  test('one whose resource is made anew gets another value, though template and importer stay as they are', () => {
    const exporting = (path: string) =>
      stack('producer', { R: role(path) }, { exports: { queue: { 'Fn::GetAtt': ['R', 'Arn'] } } });
    expect(rulesOf([exporting('/a/'), importer()], [exporting('/b/'), importer()])).toEqual(['ExportInUse producer']);
    expect(rulesOf([exporting('/a/'), importer()], [exporting('/a/'), importer()])).toEqual([]);
  });

  test('a stream that is switched on anew has another ARN', () => {
    const exporting = (view: string) =>
      stack(
        'producer',
        { T: resource('AWS::DynamoDB::GlobalTable', { StreamSpecification: { StreamViewType: view } }) },
        { exports: { queue: { 'Fn::GetAtt': ['T', 'StreamArn'] } } },
      );
    expect(rulesOf([exporting('OLD'), importer()], [exporting('NEW'), importer()])).toEqual(['ExportInUse producer']);
  });
});

describe('a resource made anew', () => {
  test('under its own name is refused, under another one or none it is not', () => {
    const image = { PackageType: 'Image' };
    const pair = (before: string, after: string) =>
      rulesOf([stack('one', { F: job(before) })], [stack('one', { F: job(after, image) })]);
    expect(pair('a', 'a')).toEqual(['NamedReplacement one F']);
    expect(pair('a', 'a_image')).toEqual([]);
    expect(rulesOf([stack('one', { R: role('/a/') })], [stack('one', { R: role('/b/') })])).toEqual([]);
  });

  test('intrinsic functions that come to the same are no change', () => {
    const named = (name: TemplateValue) => [
      stack('one', { F: resource('AWS::Lambda::Function', { FunctionName: name }) }),
    ];
    const join = { 'Fn::Join': ['-', ['app', { Ref: 'AWS::Region' }]] };
    const sub = { 'Fn::Sub': ['app-$', '{AWS::Region}'].join('') };
    expect(rulesOf(named(join), named(sub))).toEqual([]);
    expect(
      rulesOf(
        [stack('one', { R: resource('AWS::IAM::Role', { Path: '/a/', RoleName: join }) })],
        [stack('one', { R: resource('AWS::IAM::Role', { Path: '/b/', RoleName: sub }) })],
      ),
    ).toEqual(['NamedReplacement one R']);
  });

  test('a change spreads to what refers to the resource', () => {
    const stacks = (cidr: string) => [
      stack('one', {
        V: resource('AWS::EC2::VPC', { CidrBlock: cidr }),
        G: resource('AWS::EC2::SecurityGroup', { GroupName: 'mine', GroupDescription: 'x', VpcId: { Ref: 'V' } }),
      }),
    ];
    expect(rulesOf(stacks('10.0.0.0/16'), stacks('10.1.0.0/16'))).toEqual(['NamedReplacement one G']);
  });

  test('that holds data is told of: its successor is empty', () => {
    const table = (key: string) => [
      stack('one', { T: resource('AWS::DynamoDB::GlobalTable', { KeySchema: [{ AttributeName: key }] }, 'Retain') }),
    ];
    expect(reviewUpdate(table('pk'), table('id'))).toEqual([
      expect.objectContaining({ rule: 'DataLeftBehind', why: expect.stringContaining('stays behind') }),
    ]);
    expect(rulesOf(table('pk'), table('pk'))).toEqual([]);
  });

  test('CloudFormation changes no type', () => {
    expect(rulesOf([stack('one', { X: role() })], [stack('one', { X: job('a') })])).toEqual(['TypeChanged one X']);
  });

  test('a schedule keeps its name and gets another group: the service does not find it there', () => {
    const pair = (before: string, after: string) =>
      rulesOf([stack('one', { S: schedule(before, 'g') })], [stack('one', { S: schedule(after, 'h') })]);
    expect(pair('a', 'a')).toEqual(['UpdateRefused one S']);
    expect(pair('a', 'b')).toEqual([]);
  });
});

describe('one name', () => {
  test('twice at once, whatever the groups of the schedules', () => {
    const stacks = [
      stack('dev', { S: schedule('heartbeat', 'dev') }),
      stack('prod', { S: schedule('heartbeat', 'prod') }),
    ];
    expect(rulesOf([], stacks)).toEqual(['NameTaken prod S']);
  });

  test('in two Regions, unless it is one for the account', () => {
    const two = (Type: string, name: string) =>
      ['eu-west-1', 'us-east-1'].map((region) =>
        stack(region, { X: resource(Type, { [name]: 'app' }) }, { target: { region } }),
      );
    expect(rulesOf([], two('AWS::CloudWatch::Alarm', 'AlarmName'))).toEqual([]);
    expect(rulesOf([], two('AWS::CloudWatch::Dashboard', 'DashboardName'))).toEqual(['NameTaken us-east-1 X']);
  });

  test('under another logical id: the new one is made before the old one goes', () => {
    expect(rulesOf([stack('one', { A: schedule('a') })], [stack('one', { B: schedule('a') })])).toEqual([
      'NameTaken one B',
    ]);
    expect(rulesOf([stack('one', { A: schedule('a') })], [stack('one', { A: schedule('b') })])).toEqual([]);
    // Two that swap their names are both in each other's way.
    expect(
      rulesOf(
        [stack('one', { A: schedule('a'), B: schedule('b') })],
        [stack('one', { A: schedule('b'), B: schedule('a') })],
      ),
    ).toEqual(['NameTaken one A', 'NameTaken one B']);
  });

  test('in another stack, unless the one that has it is updated first and lets it go', () => {
    const before = [stack('from', { A: job('a') }), stack('to', {})];
    expect(rulesOf(before, [stack('from', {}), stack('to', { A: job('a') })])).toEqual(['NameTaken to A']);
    expect(rulesOf(before, [stack('from', {}), stack('to', { A: job('a') }, { dependsOn: ['from'] })])).toEqual([]);
    expect(rulesOf(before, [stack('to', { A: job('a') }, { dependsOn: ['from'] })])).toEqual(['NameTaken to A']);
  });

  test('of what is kept when it goes', () => {
    const kept = [
      stack('from', { A: resource('AWS::Logs::LogGroup', { LogGroupName: 'a' }, 'Retain') }),
      stack('to', {}),
    ];
    const after = [
      stack('from', {}),
      stack('to', { A: resource('AWS::Logs::LogGroup', { LogGroupName: 'a' }) }, { dependsOn: ['from'] }),
    ];
    expect(rulesOf(kept, after)).toEqual(['NameTaken to A']);
  });

  test('as the service tells them apart, though CloudFormation does not', () => {
    const mapping = () =>
      resource('AWS::Lambda::EventSourceMapping', { EventSourceArn: 'arn:stream', FunctionName: 'f' });
    expect(rulesOf([stack('one', { A: mapping() })], [stack('one', { B: mapping() })])).toEqual(['NameTaken one B']);
  });
});

test('a stack that is too large', () => {
  const many = Object.fromEntries(
    Array.from({ length: 501 }, (_, index) => [`T${index}`, resource('AWS::SNS::Topic')]),
  );
  const large = { F: job('a', { Text: 'x'.repeat(1_000_000) }) };
  const outputs = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`o${index}`, 'x']));
  expect(reviewUpdate([], [stack('one', many), stack('two', large), stack('three', {}, { exports: outputs })])).toEqual(
    [
      expect.objectContaining({ rule: 'StackTooLarge', stack: 'one', why: expect.stringContaining('501 resources') }),
      expect.objectContaining({
        rule: 'StackTooLarge',
        stack: 'two',
        why: expect.stringContaining('bytes of template'),
      }),
      expect.objectContaining({ rule: 'StackTooLarge', stack: 'three', why: expect.stringContaining('201 outputs') }),
    ],
  );
});
