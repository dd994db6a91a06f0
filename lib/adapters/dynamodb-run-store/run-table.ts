import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import type { RunRecord } from '../../domain/run/run-record.ts';
import { type Expression, PUT_IF_ABSENT, PUT_NEWER } from './run-expressions.ts';
import { type Item, readRun, runItemKey } from './run-item.ts';
import { available, Refused, refusable } from './store-errors.ts';

/** The requests that the store is made of. Reads are strongly consistent; a refused write tells what refused it. */
export class RunTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.client = client;
    this.tableName = tableName;
  }

  update(
    Key: Item,
    { UpdateExpression, ConditionExpression, ExpressionAttributeNames }: Partial<Expression>,
    values: Record<string, AttributeValue>,
    returning: 'ALL_OLD' | 'NONE' = 'NONE',
  ): Promise<UpdateItemCommandOutput | Refused> {
    const request = new UpdateItemCommand({
      TableName: this.tableName,
      Key,
      UpdateExpression,
      ConditionExpression,
      ExpressionAttributeNames,
      ExpressionAttributeValues: values,
      ReturnValues: returning === 'NONE' ? undefined : returning,
      ReturnValuesOnConditionCheckFailure: ConditionExpression === undefined ? undefined : 'ALL_OLD',
    });
    return refusable(this.client.send(request));
  }

  async putIfAbsent(item: Item): Promise<Refused | undefined> {
    const request = new PutItemCommand({
      TableName: this.tableName,
      Item: item,
      ...PUT_IF_ABSENT,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    const answer = await refusable(this.client.send(request));
    return answer instanceof Refused ? answer : undefined;
  }

  /** Puts an item that grows with its `saves`, unless a newer one is there. */
  async putNewer(item: Item & { readonly saves: AttributeValue }): Promise<void> {
    const ExpressionAttributeValues = { ':saves': item.saves };
    const request = new PutItemCommand({
      TableName: this.tableName,
      Item: item,
      ...PUT_NEWER,
      ExpressionAttributeValues,
    });
    await refusable(this.client.send(request));
  }

  async get(Key: Item): Promise<Item | undefined> {
    const request = new GetItemCommand({ TableName: this.tableName, Key, ConsistentRead: true });
    return (await available(this.client.send(request))).Item;
  }

  async getRun(key: OccurrenceKey): Promise<RunRecord | undefined> {
    const item = await this.get(runItemKey(key));
    return item === undefined ? undefined : readRun(item);
  }

  /** The record that refused a write: some stores do not send it along. */
  async refusing(refused: Refused, key: OccurrenceKey): Promise<RunRecord | undefined> {
    return refused.item === undefined ? this.getRun(key) : readRun(refused.item);
  }
}

export function n(value: number): AttributeValue {
  return { N: String(value) };
}

export function s(value: string): AttributeValue {
  return { S: value };
}
