import { expect, it } from 'vitest';
import type { TemplateValue } from '../../../lib/domain/update/stack-template.ts';
import { Intrinsics } from '../../../lib/local/assembly/intrinsics.ts';
import type { Stack, Template } from '../../../lib/local/assembly/template.ts';

const TABLE = { Type: 'AWS::DynamoDB::Table', Properties: {} };

function stackOf(name: string, template: Template): Stack {
  return { name, template, assets: new Map() };
}

const producer = stackOf('state', {
  Resources: { Runs: TABLE },
  Outputs: {
    Out: { Value: { 'Fn::GetAtt': ['Runs', 'Arn'] }, Export: { Name: { 'Fn::Sub': '\u0024{AWS::StackName}:Runs' } } },
  },
});
const consumer = stackOf('jobs', {
  Parameters: { Size: { Type: 'Number', Default: '3' } },
  Mappings: { Zones: { 'us-east-1': { zone: 'America/New_York' } } },
  Conditions: {
    Big: { 'Fn::Equals': [{ Ref: 'Size' }, '3'] },
    Never: { 'Fn::And': [{ Condition: 'Big' }, { 'Fn::Not': [{ Condition: 'Big' }] }] },
    Either: { 'Fn::Or': [{ Condition: 'Never' }, { Condition: 'Big' }] },
  },
  Resources: {
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Join': ['-', ['dead', { Ref: 'Size' }]] } } },
    Topic: { Type: 'AWS::SNS::Topic' },
    Ghost: { Type: 'AWS::SNS::Topic', Condition: 'Never' },
    Job: { Type: 'AWS::Scheduler::Schedule', Properties: { GroupName: 'nightly', Name: 'one' } },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: { Path: { 'Fn::Join': ['', ['/belfry/', { Ref: 'AWS::Region' }, '/']] } },
    },
    LongNamedFunctionWithAVeryLongLogicalIdThatEndsInItsHash0123ABCD: { Type: 'AWS::Lambda::Function' },
  },
});
const intrinsics = new Intrinsics([producer, consumer]);
const resolve = (value: TemplateValue) => intrinsics.resolve(value, consumer);

it.each<[string, TemplateValue, unknown]>([
  ['Ref of a pseudo parameter', { Ref: 'AWS::AccountId' }, '000000000000'],
  ['Ref of a parameter', { Ref: 'Size' }, '3'],
  ['Ref of a queue, its URL', { Ref: 'Queue' }, 'https://sqs.us-east-1.amazonaws.com/000000000000/dead-3'],
  ['Ref of a topic, its ARN', { Ref: 'Topic' }, 'arn:aws:sns:us-east-1:000000000000:jobs-Topic'],
  ['GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:dead-3'],
  ['GetAtt as text', { 'Fn::GetAtt': 'Queue.QueueName' }, 'dead-3'],
  [
    'GetAtt of a schedule, with its group',
    { 'Fn::GetAtt': ['Job', 'Arn'] },
    'arn:aws:scheduler:us-east-1:000000000000:schedule/nightly/one',
  ],
  [
    'GetAtt of a role, with its path',
    { 'Fn::GetAtt': ['Role', 'Arn'] },
    'arn:aws:iam::000000000000:role/belfry/us-east-1/jobs-Role',
  ],
  [
    'Join of nested functions',
    { 'Fn::Join': [':', ['a', { Ref: 'AWS::Partition' }, { Ref: 'AWS::URLSuffix' }]] },
    'a:aws:amazonaws.com',
  ],
  [
    'Sub with references and a literal',
    { 'Fn::Sub': '\u0024{AWS::Region}/\u0024{Queue.QueueName}/\u0024{!kept}/\u0024{Size}' },
    'us-east-1/dead-3/\u0024{kept}/3',
  ],
  ['Sub with variables of its own', { 'Fn::Sub': ['\u0024{Name}!', { Name: { Ref: 'Size' } }] }, '3!'],
  ['Select and Split', { 'Fn::Select': [1, { 'Fn::Split': ['-', 'dead-letter'] }] }, 'letter'],
  ['If', { 'Fn::If': ['Either', 'yes', 'no'] }, 'yes'],
  [
    'If of nothing, in an object',
    { kept: 1, gone: { 'Fn::If': ['Never', 'x', { Ref: 'AWS::NoValue' }] } },
    { kept: 1 },
  ],
  ['If of nothing, in a list', [1, { Ref: 'AWS::NoValue' }, 2], [1, 2]],
  ['FindInMap', { 'Fn::FindInMap': ['Zones', { Ref: 'AWS::Region' }, 'zone'] }, 'America/New_York'],
  ['Base64', { 'Fn::Base64': 'bell' }, 'YmVsbA=='],
  [
    'ImportValue from another stack',
    { 'Fn::ImportValue': 'state:Runs' },
    'arn:aws:dynamodb:us-east-1:000000000000:table/state-Runs',
  ],
  ['an object that only looks like a function', { Ref: 'Queue', Other: 1 }, { Ref: 'Queue', Other: 1 }],
])('computes %s', (_name, value, expected) => {
  expect(resolve(value)).toEqual(expected);
});

it('leaves out resources whose condition does not hold', () => {
  expect([...intrinsics.resources('AWS::SNS::Topic')].map(({ logicalId }) => logicalId)).toEqual(['Topic']);
});

it('makes up names that fit, and keeps the hash', () => {
  const name = intrinsics.reference(consumer, 'LongNamedFunctionWithAVeryLongLogicalIdThatEndsInItsHash0123ABCD');
  expect(name.length).toBeLessThanOrEqual(64);
  expect(name).toMatch(/^jobs-.*0123ABCD$/);
});

it.each<[TemplateValue, string]>([
  [{ 'Fn::ImportValue': 'nowhere' }, "stack 'jobs' imports 'nowhere', which no stack of this environment exports"],
  [{ 'Fn::Transform': {} }, 'uses Fn::Transform, which the local runtime does not know'],
  [
    { 'Fn::GetAtt': ['Queue', 'Colour'] },
    "reads Colour of 'Queue' (AWS::SQS::Queue), which the local runtime cannot know",
  ],
  [{ Ref: 'Absent' }, "refers to 'Absent', which it does not declare"],
])('refuses %j by name', (value, message) => {
  expect(() => resolve(value)).toThrow(message);
});
