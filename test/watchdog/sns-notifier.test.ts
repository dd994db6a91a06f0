import { SNSClient } from '@aws-sdk/client-sns';
import { describe, expect, test } from 'vitest';
import { SnsNotifier } from '../../lib/adapters/sns-notifier/sns-notifier.ts';
import type { Incident } from '../../lib/domain/watch/incident.ts';
import type { Message } from '../../lib/domain/watch/plan-telling.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const SIGNAL = new AbortController().signal;

interface Published {
  readonly TopicArn: string;
  readonly Subject: string;
  readonly Message: string;
  readonly MessageAttributes: Readonly<Record<string, { readonly StringValue: string }>>;
}

async function published(message: Message, environment = 'prod'): Promise<Published> {
  const client = new SNSClient({ region: 'eu-west-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } });
  const sent: Published[] = [];
  client.middlewareStack.add(
    () => async (args) => {
      sent.push(args.input as unknown as Published);
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'initialize' },
  );
  const topics = { page: 'arn:page', ticket: 'arn:ticket', warn: 'arn:warn' };
  const timeZoneOf = () => 'America/New_York';
  await new SnsNotifier(client, topics, { environment, scheduler: 'shop-jobs', timeZoneOf }).notify(message, SIGNAL);
  const [one] = sent;
  if (one === undefined) throw new Error('nothing was published');
  return one;
}

const incident = (more: Partial<Incident>): Incident => ({
  job: 'invoice-dunning',
  kind: 'late',
  id: 'late-1',
  since: NOON + 120_000,
  scheduledTime: NOON,
  count: 1,
  badAt: NOON + 120_000,
  observedMs: 123_000,
  limitMs: 120_000,
  ...more,
});

const message = (incidents: readonly Incident[], more: Partial<Message> = {}): Message => ({
  id: 'late-1',
  kind: 'late',
  change: 'opened',
  severity: 'warn',
  incidents,
  ...more,
});

describe('a message to people', () => {
  test('says which job, what happened, what the watchdog does, and what to type', async () => {
    const sent = await published(message([incident({ outlook: 'starts' })]));
    expect(sent).toMatchObject({ TopicArn: 'arn:warn', Subject: '[prod] invoice-dunning is late' });
    expect(sent.Message.split('\n')).toEqual([
      'invoice-dunning is late in environment prod.',
      '',
      'invoice-dunning: one occurrence due Mon 1 Jun 2026 08:00 America/New_York (2026-06-01T12:00:00Z)',
      '  It had not started 2 min 3 s after that time; 2 min 0 s are allowed. The watchdog starts it now.',
      '',
      'Begin with:',
      '  belfry doctor --environment prod',
      '',
      'Incident late-1, since 2026-06-01T12:02:00Z. Scheduler: shop-jobs. Severity: warn.',
    ]);
    const attributes = Object.entries(sent.MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]);
    expect(Object.fromEntries(attributes)).toEqual({
      incident: 'late-1',
      change: 'opened',
      kind: 'late',
      severity: 'warn',
      environment: 'prod',
      scheduler: 'shop-jobs',
      job: 'invoice-dunning',
    });
  });

  test('that follows says the cause and the command that begins to put it right', async () => {
    const fix = "cdk deploy 'prod/jobs*' --revert-drift";
    const cause = { cause: 'scheduleDisabled', detail: "schedule 'invoice-dunning' is disabled", fix } as const;
    const { Subject, Message } = await published(
      message([incident({ outlook: 'starts', missed: true, cause })], { change: 'followUp' }),
    );
    expect(Subject).toBe('[prod] more: invoice-dunning is late');
    expect(Message).toContain("Cause: scheduleDisabled (schedule 'invoice-dunning' is disabled).");
    expect(Message).toContain(`Begin with:\n  ${fix}\n`);
    expect(Message).toContain('recorded as missed');
  });

  test('at the end says that all is well', async () => {
    const closed = message([incident({ madeUpSince: NOON + 300_000 })], { change: 'closed' });
    const { Subject, Message } = await published(closed);
    expect(Subject).toBe('[prod] invoice-dunning is well again');
    expect(Message).not.toContain('Begin with');
  });

  test.each([
    ['overdue', 'page', 'is overdue'],
    ['failed', 'ticket', 'failed'],
    ['timedOut', 'ticket', 'timed out'],
    ['stuck', 'warn', 'is stuck'],
    ['slow', 'warn', 'is slow'],
    ['tooFast', 'warn', 'ended too soon'],
    ['tooOften', 'warn', 'ran when it was not due'],
  ] as const)('%s goes to %s', async (kind, severity, says) => {
    const { TopicArn, Subject, Message } = await published(message([incident({ kind })], { kind, severity }));
    expect([TopicArn, Subject]).toEqual([`arn:${severity}`, `[prod] invoice-dunning ${says}`]);
    expect(Message).toMatch(/Begin with:\n {2}belfry \S.* --environment prod/);
  });

  test('of many jobs names twenty', async () => {
    const many = Array.from({ length: 300 }, (_, n) => incident({ job: `job-${n}`, outlook: 'missed' }));
    const { Subject, Message } = await published(message(many));
    expect(Subject).toBe('[prod] 300 jobs missed occurrences');
    expect(Message.match(/^job-\d+:/gm)).toHaveLength(20);
    expect(Message).toContain('And 280 more: belfry jobs --environment prod');
  });

  test('keeps to what SNS takes, whatever things are called', async () => {
    const detail = 'ä'.repeat(400_000);
    const { Subject, Message } = await published(
      message([incident({ job: 'käse\n'.repeat(40), cause: { cause: 'deadLettered', detail } })]),
      'umgebung-ö',
    );
    expect(Subject).toMatch(/^[\x20-\x7e]{1,100}$/);
    expect(Buffer.byteLength(Message)).toBeLessThan(256 * 1_024 - 2_000);
  });
});
