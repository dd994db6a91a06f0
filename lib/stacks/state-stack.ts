import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { RunTable } from '../constructs/run-table.ts';
import type { Environment } from './environment.ts';

export interface StateStackProps extends StackProps {
  readonly environment: Environment;
}

/** What must outlive a deployment: the run records, and the rows that the sample jobs work on. */
export class StateStack extends Stack {
  readonly runTable: RunTable;
  readonly appTable: TableV2;

  constructor(scope: Construct, id: string, { environment, ...props }: StateStackProps) {
    super(scope, id, props);
    const removalPolicy = environment.protected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.runTable = new RunTable(this, 'RunTable', { removalPolicy });
    this.appTable = new TableV2(this, 'AppTable', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      removalPolicy,
      deletionProtection: environment.protected,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: environment.protected },
    });
    // Whether or not a job uses it at the moment: what is exported only while it is used could not stop being used.
    this.exportValue(this.appTable.tableName);
    this.exportValue(this.appTable.tableArn);
    new CfnOutput(this, 'RunTableName', { value: this.runTable.tableName });
    new CfnOutput(this, 'AppTableName', { value: this.appTable.tableName });
  }
}
