import { BelfryError } from '../../domain/errors.ts';
import type { TableResource } from '../assembly/resources.ts';
import type { Body, Call } from './front-types.ts';

/**
 * Creates the tables that do not exist yet. One that exists keeps its data.
 * @throws BelfryError `TableRefused`; `TableChanged` when the one on disk has other keys.
 */
export async function createTables(call: Call, tables: readonly TableResource[]): Promise<void> {
  for (const { name, create, timeToLive } of tables) {
    const existing = await call('DescribeTable', { TableName: name });
    if (existing.status !== 200) {
      await expectDone(name, call('CreateTable', create));
    } else {
      const { KeySchema } = (existing.body.Table ?? {}) as Body;
      if (keysOf(KeySchema) !== keysOf(create.KeySchema)) {
        throw new BelfryError(
          'TableChanged',
          `table '${name}' is on disk with other keys than the app declares now: start with --fresh, which deletes this environment's data`,
        );
      }
    }
    const { TimeToLiveDescription } = (await call('DescribeTimeToLive', { TableName: name })).body;
    if (timeToLive !== undefined && (TimeToLiveDescription as Body | undefined)?.AttributeName !== timeToLive) {
      const TimeToLiveSpecification = { AttributeName: timeToLive, Enabled: true };
      await expectDone(name, call('UpdateTimeToLive', { TableName: name, TimeToLiveSpecification }));
    }
  }
}

async function expectDone(name: string, answered: ReturnType<Call>): Promise<void> {
  const { status, body } = await answered;
  if (status !== 200) {
    throw new BelfryError('TableRefused', `table '${name}' cannot be created: ${String(body.message ?? body.__type)}`);
  }
}

function keysOf(keySchema: unknown): string {
  const keys = (keySchema ?? []) as readonly object[];
  return keys.map((key) => JSON.stringify(Object.entries(key).sort())).join();
}
