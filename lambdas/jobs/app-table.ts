import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateQuery,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';

/** A row of the sample jobs' table. */
export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: string | number;
}

/** The table that the sample jobs keep their business in. */
export class AppTable {
  private readonly client: DynamoDBClient;
  private readonly tableName: string;

  constructor(client: DynamoDBClient, tableName: string) {
    this.client = client;
    this.tableName = tableName;
  }

  /** The table that this function was deployed with. */
  static deployed(): AppTable {
    return new AppTable(new DynamoDBClient({}), process.env.APP_TABLE ?? 'app-table');
  }

  /** All rows of a partition in the order of their sort keys, or those below `before`. */
  async rows(pk: string, before?: string): Promise<Row[]> {
    const rows: Row[] = [];
    const pages = paginateQuery(
      { client: this.client },
      {
        TableName: this.tableName,
        ConsistentRead: true,
        KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
        ExpressionAttributeValues: { ':pk': { S: pk }, ...(before === undefined ? {} : { ':before': { S: before } }) },
      },
    );
    for await (const page of pages) rows.push(...(page.Items ?? []).map(toRow));
    return rows;
  }

  async put(row: Row): Promise<void> {
    await this.client.send(new PutItemCommand({ TableName: this.tableName, Item: toItem(row) }));
  }

  /** Whether the row was new. */
  async putIfAbsent(row: Row): Promise<boolean> {
    try {
      await this.client.send(new PutItemCommand(this.absentRow(row)));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async delete({ pk, sk }: Row): Promise<void> {
    await this.client.send(new DeleteItemCommand({ TableName: this.tableName, Key: { pk: { S: pk }, sk: { S: sk } } }));
  }

  /** The same put as an item of a transaction. */
  putAction(row: Row): TransactWriteItem {
    return { Put: this.absentRow(row) };
  }

  private absentRow(row: Row) {
    return { TableName: this.tableName, Item: toItem(row), ConditionExpression: 'attribute_not_exists(pk)' };
  }
}

function toItem(row: Row): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? { N: String(value) } : { S: value }]),
  );
}

function toRow(item: Record<string, AttributeValue>): Row {
  const attributes = Object.entries(item).map(
    ([name, { N, S }]) => [name, N === undefined ? (S ?? '') : Number(N)] as const,
  );
  return Object.fromEntries(attributes) as Row;
}
