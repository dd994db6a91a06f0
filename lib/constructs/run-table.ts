import { AttributeType, Billing, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Grant, Grant as IamGrant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { jobPartition, PARTITION_KEY, SORT_KEY, WATCHDOG_PARTITION } from '../domain/contract/run-table-keys.ts';
import { BelfryError } from '../domain/errors.ts';
import { exportLastingly } from './lasting-exports.ts';

export interface RunTableProps {
  /**
   * What happens to the run records when the stack is destroyed. Destroyed, nobody can prove any more what ran; retained,
   * a table is left behind that is billed by its size.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Refuse to delete the table, whoever asks.
   *
   * @default - true when the removal policy is RETAIN
   */
  readonly deletionProtection?: boolean;
  /**
   * Keep continuous backups. Restoring one takes fencing tokens back in time: treat a restore as an incident.
   *
   * @default - true when the removal policy is RETAIN
   */
  readonly pointInTimeRecovery?: boolean;
  /**
   * Customer key that encrypts the table. The stack must then have a Region at synth.
   *
   * @default - the key that DynamoDB owns
   */
  readonly encryptionKey?: IKey;
}

/** What a job's function does with its own records: claim, renew, complete, fail, and read when a claim was refused. */
const JOB_ACTIONS = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
/** What the watchdog does with everybody's; it deletes in its own partition only. */
const WATCHDOG_ACTIONS = [
  'dynamodb:BatchGetItem',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
];
const WATCHDOG_OWN_ACTIONS = ['dynamodb:DeleteItem'];

/**
 * The ledger: one item for each run, on demand, with a time to live. Jobs may touch their own partition only, the watchdog
 * all of them. Its stack exports its name, its ARN and that of its stream, whether or not another stack uses them.
 */
export class RunTable extends Construct {
  readonly table: TableV2;
  /** The customer key that encrypts it, if one does. */
  readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, props: RunTableProps = {}) {
    super(scope, id);
    const { removalPolicy = RemovalPolicy.RETAIN, encryptionKey } = props;
    this.encryptionKey = encryptionKey;
    if (encryptionKey !== undefined && Token.isUnresolved(Stack.of(this).region)) {
      throw new BelfryError(
        'KeyWithoutRegion',
        `table ${this.node.path} is encrypted with a key of your own, and its stack has no Region at synth, which the ARN of the key needs: give the stack a Region, e.g. env: { account: '123456789012', region: 'eu-west-1' }`,
      );
    }
    const kept = removalPolicy === RemovalPolicy.RETAIN;
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: PARTITION_KEY, type: AttributeType.STRING },
      sortKey: { name: SORT_KEY, type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: 'expiresAt',
      removalPolicy,
      deletionProtection: props.deletionProtection ?? kept,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: props.pointInTimeRecovery ?? kept },
      // Always: it costs nothing until somebody reads it, and one that is switched on anew has another ARN.
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      ...(encryptionKey === undefined ? {} : { encryption: TableEncryptionV2.customerManagedKey(encryptionKey) }),
    });
    exportLastingly(this, [this.tableName, this.table.tableArn, this.streamArn]);
  }

  get tableName(): string {
    return this.table.tableName;
  }

  /** Of the changes of its runs, which `LifecycleEvents` reads. */
  get streamArn(): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new RangeError(`${this.node.path} has no stream`);
    return tableStreamArn;
  }

  /**
   * What a function that runs these jobs may do, as a statement: its own partitions, nothing else. A request without a key
   * (a scan) satisfies `ForAllValues`, hence the second condition.
   */
  jobStatement(jobs: readonly string[]): PolicyStatement {
    return new PolicyStatement({
      sid: 'OwnRunRecords',
      actions: JOB_ACTIONS,
      resources: [this.table.tableArn],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': jobs.map(jobPartition) },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
  }

  /** The same for a function whose jobs' names begin with the fleet's: as many as they are, one line. */
  fleetStatement(fleet: string): PolicyStatement {
    return new PolicyStatement({
      sid: 'OwnRunRecords',
      actions: JOB_ACTIONS,
      resources: [this.table.tableArn],
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [jobPartition(`${fleet}-*`)] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
  }

  /** What the watchdog may do: reach every run by its key, read a job's in a row, and tidy up its own partition. */
  watchdogStatements(): PolicyStatement[] {
    const resources = [this.table.tableArn];
    return [
      new PolicyStatement({ sid: 'AllRunRecords', actions: WATCHDOG_ACTIONS, resources }),
      new PolicyStatement({
        sid: 'OwnPlace',
        actions: WATCHDOG_OWN_ACTIONS,
        resources,
        conditions: {
          'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [WATCHDOG_PARTITION] },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    ];
  }

  /** Lets somebody (a console, a report) read all run records. */
  grantRead(grantee: IGrantable): Grant {
    return IamGrant.addToPrincipal({
      grantee,
      actions: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
      resourceArns: [this.table.tableArn],
    });
  }
}
