import { expect, it } from 'vitest';
import { DynamoDbFaults } from '../../../lib/local/faults/dynamodb-faults.ts';
import { FaultDice } from '../../../lib/local/faults/fault-dice.ts';
import { FAULT_KINDS, parseFaults } from '../../../lib/local/faults/fault-settings.ts';
import { planDelivery } from '../../../lib/local/faults/plan-delivery.ts';

it('reads shares, percentages, the longest delay and the skew', () => {
  expect(parseFaults('duplicate=5%, drop=0.01,delay=10%:90s,skew=3s,lost-response=.5', 7)).toEqual({
    seed: 7,
    chances: { duplicate: 0.05, drop: 0.01, delay: 0.1, skew: 1, 'lost-response': 0.5 },
    delayMs: 90_000,
    skewMs: 3_000,
  });
});

it.each([
  ['fire=1%', `there is no fault 'fire': choose among ${FAULT_KINDS.join(', ')}`],
  ['drop', "the fault 'drop' cannot be read"],
  ['drop=150%', "the fault 'drop=150%' cannot be read"],
  ['drop=-1', "the fault 'drop=-1' cannot be read"],
  ['drop=5%:3s', "the fault 'drop=5%:3s' cannot be read"],
  ['delay=5%:3h', "the fault 'delay=5%:3h' cannot be read"],
  ['skew=5%', "the fault 'skew=5%' cannot be read"],
])('refuses %s', (text, message) => {
  expect(() => parseFaults(text, 1)).toThrow(message);
});

const targets = Array.from({ length: 4_000 }, (_, index) => `beat ${index}`);

it('strikes the share that is asked for, at the same places for the same seed, in whatever order it is asked', () => {
  const struck = (seed: number, order: readonly string[]) => {
    const dice = new FaultDice(parseFaults('drop=10%,kill=10%', seed));
    return order.filter((target) => dice.strikes('drop', target)).sort();
  };
  const first = struck(1, targets);
  expect(first.length).toBeGreaterThan(320);
  expect(first.length).toBeLessThan(480);
  expect(struck(1, targets.toReversed())).toEqual(first);
  expect(struck(2, targets)).not.toEqual(first);
});

it('strikes nothing that was not asked for, and everything at a share of one', () => {
  const dice = new FaultDice(parseFaults('drop=1', 1));
  expect(targets.every((target) => dice.strikes('drop', target))).toBe(true);
  expect(targets.some((target) => dice.strikes('kill', target))).toBe(false);
});

it('plans deliveries: lost, late, doubled, or as they should be', () => {
  const plan = (faults: string) => planDelivery(new FaultDice(parseFaults(faults, 3)), 'beat 2026-10-31T23:00:00Z');
  expect(plan('kill=1')).toEqual({ delays: [0], struck: [] });
  expect(plan('drop=1,duplicate=1')).toEqual({ delays: [], struck: ['drop'] });
  const both = plan('delay=1:10s,duplicate=1');
  expect(both.struck).toEqual(['delay', 'duplicate']);
  expect(both.delays).toHaveLength(2);
  for (const delay of both.delays) {
    expect(delay).toBeGreaterThanOrEqual(0);
    expect(delay).toBeLessThan(10_000);
  }
});

it('refuses requests to DynamoDB, or loses their answers, and names each', () => {
  const reports: string[] = [];
  const throttling = new DynamoDbFaults(parseFaults('throttle=1', 1), (text) => reports.push(text));
  expect(throttling.next('DynamoDB_20120810.PutItem')).toMatchObject({ kind: 'throttle', answer: { status: 400 } });
  const losing = new DynamoDbFaults(parseFaults('lost-response=1', 1), (text) => reports.push(text));
  expect(losing.next('DynamoDB_20120810.UpdateItem')).toEqual({ kind: 'lost-response' });
  expect(reports).toEqual([
    'fault throttle: PutItem is refused',
    'fault lost-response: UpdateItem is carried out, its answer is lost',
  ]);
});
