import { expect, test } from 'vitest';
import { Random } from '../../localstack/differential/random.ts';
import { randomCall, randomRace } from '../../localstack/differential/random-calls.ts';
import { saying } from '../../localstack/differential/saying.ts';

test('the same seed asks the same things', () => {
  const asked = (seed: number) => {
    const random = new Random(seed);
    return JSON.stringify(Array.from({ length: 300 }, (_, number) => randomCall(random, number)));
  };
  expect(asked(7)).toBe(asked(7));
  expect(asked(7)).not.toBe(asked(8));
});

test('every placeholder of a call has a value, and no value is left over', () => {
  const random = new Random(3);
  const calls = Array.from({ length: 2_000 }, (_, number) => randomCall(random, number)).filter(
    ({ kind }) => kind !== 'mistake',
  );
  for (const { body } of [...calls, ...randomRace(random, 12)]) {
    const requests = [
      body,
      ...((body.TransactItems ?? []) as object[]).flatMap((item) => Object.values(item)),
    ] as (typeof body)[];
    for (const request of requests) {
      const text = `${request.UpdateExpression ?? ''} ${request.ConditionExpression ?? ''} ${request.KeyConditionExpression ?? ''}`;
      const values = Object.keys((request.ExpressionAttributeValues ?? {}) as object);
      expect(values.sort()).toEqual([...new Set(text.match(/:\w+/g))].sort());
    }
  }
});

test('answers are compared by what they say, whatever the order of attributes and the wording of a refusal', () => {
  const refused = (message: string) =>
    saying({ status: 400, body: { __type: 'com.amazon.coral.validate#ValidationException', message } });
  expect(refused('one')).toEqual(refused('another'));
  const failed = (Item: object) =>
    saying({
      status: 400,
      body: { __type: 'x#ConditionalCheckFailedException', message: 'The conditional request failed', Item },
    });
  expect(failed({ a: { S: '1' }, b: { S: '2' } })).toEqual(failed({ b: { S: '2' }, a: { S: '1' } }));
  expect(failed({ a: { S: '1' } })).not.toEqual(failed({ a: { S: '2' } }));
  expect(refused('one')).not.toEqual(failed({}));
});
