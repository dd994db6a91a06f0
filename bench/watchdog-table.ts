/*
 * A run table that answers over HTTP from memory, in a process of its own, and counts the units that DynamoDB would bill.
 * It judges no condition but the two that decide anything here.
 */
import { createServer } from 'node:http';

type Value = Record<string, unknown>;
type Item = Record<string, Value>;

const items = new Map<string, Item>();
let counts = { requests: 0, readUnits: 0, writeUnits: 0 };

const keyOf = (item: Item) => `${item.pk?.S}|${item.sk?.S}`;
const units = (item: Item | undefined, bytes: number) =>
  Math.max(1, Math.ceil(JSON.stringify(item ?? {}).length / bytes));

const OPERATIONS: Record<string, (body: Record<string, unknown>) => object> = {
  GetItem: ({ Key }) => {
    const found = items.get(keyOf(Key as Item));
    counts.readUnits += units(found, 4_096);
    return found === undefined ? {} : { Item: found };
  },
  BatchGetItem: ({ RequestItems }) => {
    const [[table, request] = ['', { Keys: [] }]] = Object.entries(RequestItems as Record<string, { Keys: Item[] }>);
    const found = request.Keys.map((key) => items.get(keyOf(key)));
    for (const item of found) counts.readUnits += units(item, 4_096);
    return { Responses: { [table]: found.filter((item) => item !== undefined) }, UnprocessedKeys: {} };
  },
  PutItem: ({ Item, ConditionExpression }) => {
    const item = Item as Item;
    counts.writeUnits += units(item, 1_024);
    if (String(ConditionExpression).includes('attribute_not_exists') && items.has(keyOf(item))) return refused();
    items.set(keyOf(item), item);
    return {};
  },
  UpdateItem: ({ Key }) => {
    counts.writeUnits += 1;
    items.set(keyOf(Key as Item), { ...(Key as Item), ...items.get(keyOf(Key as Item)) });
    return {};
  },
  DeleteItem: ({ Key }) => {
    counts.writeUnits += 1;
    items.delete(keyOf(Key as Item));
    return {};
  },
  Query: ({ ExpressionAttributeValues }) => {
    const { ':pk': pk, ':prefix': prefix, ':first': first, ':last': last } = ExpressionAttributeValues as Item;
    const isAsked = ({ sk }: Item) =>
      prefix === undefined
        ? first !== undefined &&
          last !== undefined &&
          String(sk?.S) >= String(first.S) &&
          String(sk?.S) <= String(last.S)
        : String(sk?.S).startsWith(String(prefix.S));
    const found = [...items.values()].filter((item) => item.pk?.S === pk?.S && isAsked(item));
    counts.readUnits += Math.max(1, Math.ceil(JSON.stringify(found).length / 4_096));
    return { Items: found, Count: found.length };
  },
};

class Refused {}
function refused(): Refused {
  return new Refused();
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  counts.requests += 1;
  const answer = OPERATIONS[operation]?.(JSON.parse(text)) ?? {};
  const isRefused = answer instanceof Refused;
  const body = isRefused ? { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' } : answer;
  response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify(body));
});

process.on('message', (message: { readonly fill?: readonly Item[]; readonly clear?: true; readonly counts?: true }) => {
  if (message.clear) items.clear();
  for (const item of message.fill ?? []) items.set(keyOf(item), item);
  process.send?.({ counts, items: items.size });
  if (message.counts) counts = { requests: 0, readUnits: 0, writeUnits: 0 };
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
