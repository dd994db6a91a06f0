/** The day on which the prices were looked up. AWS changes them without notice. */
export const PRICES_DATE = '2026-11-29';
export const PRICES_REGION = 'us-east-1';

export interface Price {
  /** What is counted, as the bill names it. */
  readonly label: string;
  /** US dollars for one. A list: the first `upTo` cost `usd` each, those above them cost what the next tier says. */
  readonly usd: number | readonly PriceTier[];
  readonly source: string;
}

export interface PriceTier {
  /** Left out in the last tier. */
  readonly upTo?: number;
  readonly usd: number;
}

const MILLION = 1_000_000;
const CLOUDWATCH = 'https://aws.amazon.com/cloudwatch/pricing/';
const DYNAMODB = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const LAMBDA = 'https://aws.amazon.com/lambda/pricing/';
const EVENTBRIDGE = 'https://aws.amazon.com/eventbridge/pricing/';
const SNS = 'https://aws.amazon.com/sns/pricing/';
const KMS = 'https://aws.amazon.com/kms/pricing/';

/** List prices, without free tiers. Everything that tells a cost reads this table. */
export const PRICES = {
  schedulerInvocations: { label: 'Scheduler invocations', usd: 1 / MILLION, source: EVENTBRIDGE },
  lambdaRequests: { label: 'Lambda requests', usd: 0.2 / MILLION, source: LAMBDA },
  /** arm64. Initialisation is billed as well. */
  lambdaGbSeconds: { label: 'Lambda GB-seconds (arm64)', usd: 0.0000133334, source: LAMBDA },
  writeUnits: { label: 'DynamoDB write units', usd: 0.625 / MILLION, source: DYNAMODB },
  readUnits: { label: 'DynamoDB read units', usd: 0.125 / MILLION, source: DYNAMODB },
  tableGbMonths: { label: 'DynamoDB storage (GB-months)', usd: 0.25, source: DYNAMODB },
  backupGbMonths: { label: 'DynamoDB continuous backup (GB-months)', usd: 0.2, source: DYNAMODB },
  /** One metric under one set of dimensions for a month; billed by the hour in which it gets data. */
  customMetrics: {
    label: 'CloudWatch custom metrics',
    usd: [{ upTo: 10_000, usd: 0.3 }, { upTo: 250_000, usd: 0.1 }, { upTo: MILLION, usd: 0.05 }, { usd: 0.02 }],
    source: CLOUDWATCH,
  },
  alarms: { label: 'CloudWatch alarms', usd: 0.1, source: CLOUDWATCH },
  dashboards: { label: 'CloudWatch dashboards', usd: 3, source: CLOUDWATCH },
  logGbIngested: { label: 'CloudWatch logs ingested (GB)', usd: 0.5, source: CLOUDWATCH },
  /** Of what is left after compression. */
  logGbMonths: { label: 'CloudWatch logs stored (GB-months)', usd: 0.03, source: CLOUDWATCH },
  snsRequests: { label: 'SNS publishes', usd: 0.5 / MILLION, source: SNS },
  snsEmails: { label: 'SNS e-mails', usd: 20 / MILLION, source: SNS },
  sqsRequests: { label: 'SQS requests', usd: 0.4 / MILLION, source: 'https://aws.amazon.com/sqs/pricing/' },
  busEvents: { label: 'EventBridge bus events', usd: 1 / MILLION, source: EVENTBRIDGE },
  kmsKeys: { label: 'KMS keys', usd: 1, source: KMS },
  kmsRequests: { label: 'KMS requests', usd: 3 / MILLION, source: KMS },
} as const satisfies Readonly<Record<string, Price>>;

export type PricedItem = keyof typeof PRICES;
export const PRICED_ITEMS = Object.keys(PRICES) as readonly PricedItem[];

/** What `quantity` of something costs in a month, in US dollars. */
export function usdOf(item: PricedItem, quantity: number): number {
  const { usd }: Price = PRICES[item];
  if (typeof usd === 'number') return quantity * usd;
  let [total, from] = [0, 0];
  for (const { upTo = Number.POSITIVE_INFINITY, usd: each } of usd) {
    if (quantity > from) total += (Math.min(quantity, upTo) - from) * each;
    from = upTo;
  }
  return total;
}
