import { Template } from 'aws-cdk-lib/assertions';
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { expect, test } from 'vitest';
import { RunTable, type RunTableProps } from '../../lib/constructs/run-table.ts';

function template(props: RunTableProps = {}): Template {
  const stack = new Stack();
  new RunTable(stack, 'Runs', props);
  return Template.fromStack(stack);
}

test('records are keyed by job and instant, billed on demand, and removed when they expire', () => {
  template().hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  });
});

test('is kept, protected and backed up unless told otherwise', () => {
  template().hasResource('AWS::DynamoDB::GlobalTable', {
    DeletionPolicy: 'Retain',
    Properties: {
      Replicas: [
        { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
      ],
    },
  });
});

test('a table that goes with its stack is neither protected nor backed up', () => {
  template({ removalPolicy: RemovalPolicy.DESTROY }).hasResource('AWS::DynamoDB::GlobalTable', {
    DeletionPolicy: 'Delete',
    Properties: {
      Replicas: [
        { DeletionProtectionEnabled: false, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } },
      ],
    },
  });
});

test('what a job may do names its partition', () => {
  const stack = new Stack();
  const statement = new RunTable(stack, 'Runs').jobStatement(['dunning', 'cleanup']).toStatementJson();
  expect(statement.Condition['ForAllValues:StringEquals']).toEqual({
    'dynamodb:LeadingKeys': ['J#dunning', 'J#cleanup'],
  });
});
