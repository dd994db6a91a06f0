import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Usage } from '../../lib/domain/cost/bill.ts';
import { HOURS_A_MONTH, logUsage } from '../../lib/domain/cost/monthly-usage.ts';
import { ASSUMED, type Deployed } from '../../test/support/cost/counted-month.ts';
import { CountingDynamoDb } from '../../test/support/cost/counting-dynamodb.ts';
import { lambdaLines, logBytes } from '../../test/support/cost/lambda-lines.ts';

const ALARMS_A_JOB = 4;
const FAILING_SHARE = 0.005;
/** Lambda tries a failed asynchronous event twice more. */
const ATTEMPTS = 3;
const TABLE = 'idempotency';

/**
 * The same jobs without Belfry: a function, a schedule and four alarms each on Lambda's own metrics, with Powertools
 * idempotency around the handler. Its requests are counted at the same table.
 */
export async function naiveMonth(jobs: number, deployed: Deployed): Promise<Usage> {
  const [good, bad] = [await countInvocation(false), await countInvocation(true)];
  const runs = jobs * HOURS_A_MONTH;
  const failing = runs * FAILING_SHARE;
  const [goodOnes, badOnes] = [runs - failing, failing * ATTEMPTS];
  const invocations = goodOnes + badOnes;
  const requests = goodOnes * good.requests + badOnes * bad.requests;
  const ms = invocations * (ASSUMED.initMs + 1_000 + ASSUMED.connectMs) + requests * ASSUMED.requestMs;
  return {
    schedulerInvocations: runs,
    lambdaRequests: invocations,
    lambdaGbSeconds: (ms * deployed.jobMiB) / 1_000 / 1_024,
    writeUnits: goodOnes * good.writeUnits + badOnes * bad.writeUnits,
    readUnits: goodOnes * good.readUnits + badOnes * bad.readUnits,
    alarms: jobs * ALARMS_A_JOB,
    ...logUsage((invocations * logBytes(lambdaLines({ isCold: true }))) / 1e9, deployed.logRetentionDays),
  };
}

async function countInvocation(fails: boolean) {
  const table = await CountingDynamoDb.open(TABLE, Date.now);
  const handler = makeIdempotent(
    async (_event: object, _context: object) => {
      if (fails) throw new Error('the ledger service answered 503 Service Unavailable');
      return { rows: 3 };
    },
    {
      persistenceStore: new DynamoDBPersistenceLayer({
        tableName: TABLE,
        keyAttr: 'pk',
        staticPkValue: 'job',
        sortKeyAttr: 'sk',
        awsSdkV3Client: table.client,
      }),
      config: new IdempotencyConfig({}),
    },
  );
  const event = { job: 'customer-report-00001', scheduledTime: '2026-06-01T12:00:00Z' };
  const context = { getRemainingTimeInMillis: () => 300_000 };
  await handler(event, context).catch((error: unknown) => {
    if (!fails) throw error;
  });
  const { requests, writeUnits, readUnits } = table;
  return { requests, writeUnits, readUnits };
}
