/**
 * A process that carries out deliveries as a Lambda environment does, one at a time, told by its parent over IPC. Which
 * table and which job it has comes from the environment variables of a deployed function.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { dependenciesFromEnvironment, type InvocationContext, runOnce } from '../../lambdas/runtime/index.ts';

export interface Delivery {
  readonly id: number;
  readonly event: { readonly job: string; readonly scheduledTime: string };
  /** How long the invocation may take, and how long its handler works, milliseconds. */
  readonly remainingMs: number;
  readonly workMs: number;
  /** Commits one effect on this table, counted by run. */
  readonly effectTable?: string;
  readonly leaseTimes?: NonNullable<ReturnType<typeof dependenciesFromEnvironment>['leaseTimes']>;
}

export interface DeliveryReply {
  readonly id: number;
  readonly outcome: string;
  readonly fencingToken?: number;
}

const deployed = dependenciesFromEnvironment();

process.on('message', async (delivery: Delivery) => {
  const endsAt = performance.now() + delivery.remainingMs;
  const context: InvocationContext = {
    awsRequestId: String(delivery.id),
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:job',
    getRemainingTimeInMillis: () => endsAt - performance.now(),
  };
  const dependencies = {
    ...deployed,
    print: () => {},
    ...(delivery.leaseTimes ? { leaseTimes: delivery.leaseTimes } : {}),
  };
  let fencingToken: number | undefined;
  const reply = (outcome: string) =>
    process.send?.({
      id: delivery.id,
      outcome,
      ...(fencingToken === undefined ? {} : { fencingToken }),
    } satisfies DeliveryReply);
  try {
    const { outcome } = await runOnce(
      dependencies,
      delivery.event,
      async (run) => {
        fencingToken = run.fencingToken;
        if (delivery.workMs > 0) await sleep(delivery.workMs);
        if (delivery.effectTable !== undefined) await run.commit([effect(delivery.effectTable, run.idempotencyKey)]);
        return { by: process.pid };
      },
      context,
    );
    reply(outcome);
  } catch (error) {
    reply(`threw ${error instanceof Error ? error.name : String(error)}`);
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });

function effect(TableName: string, id: string): TransactWriteItem {
  return {
    Update: {
      TableName,
      Key: { pk: { S: id }, sk: { S: '$' } },
      UpdateExpression: 'ADD #n :one',
      ExpressionAttributeNames: { '#n': 'n' },
      ExpressionAttributeValues: { ':one': { N: '1' } },
    },
  };
}
