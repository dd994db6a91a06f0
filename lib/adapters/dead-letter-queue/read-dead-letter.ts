import type { Message } from '@aws-sdk/client-sqs';
import { BelfryError } from '../../domain/errors.ts';
import { type OccurrenceEvent, parseOccurrenceEvent } from '../../domain/occurrence-event.ts';
import type { DeadLetter } from '../../domain/operate/plan-dead-letters.ts';

/** As much of a message as tells a person what it is. */
const LONGEST_EXCERPT = 120;

/**
 * EventBridge Scheduler and Lambda both put the event in the body, and the reason into attributes named differently; the
 * event source mapping of a stream puts a record of what it gave up into the body.
 */
export function readDeadLetter({ MessageId = '', Body = '', Attributes, MessageAttributes = {} }: Message): DeadLetter {
  const attribute = (name: string) => MessageAttributes[name]?.StringValue;
  const id = MessageId;
  const givenUpAt = Number(Attributes?.SentTimestamp ?? 0);
  const body = parse(Body);
  const isScheduler = attribute('ERROR_CODE') !== undefined || attribute('SCHEDULE_ARN') !== undefined;
  const event = eventOf(body, attribute('SCHEDULE_ARN'), attribute('SCHEDULED_TIME'));
  if (isScheduler) {
    const retries = Number(attribute('RETRY_ATTEMPTS') ?? Number.NaN);
    return {
      id,
      givenUpAt,
      from: 'scheduler',
      code: attribute('ERROR_CODE') ?? '',
      message: attribute('ERROR_MESSAGE') ?? '',
      ...(event === undefined ? {} : { event }),
      ...(Number.isNaN(retries) ? {} : { retries }),
    };
  }
  const stream = body?.DDBStreamBatchInfo;
  if (isObject(stream)) {
    const { condition = '' } = isObject(body?.requestContext) ? body.requestContext : {};
    const { batchSize } = stream;
    return {
      id,
      givenUpAt,
      from: 'stream',
      code: String(condition),
      message: '',
      ...(typeof batchSize === 'number' ? { changes: batchSize } : {}),
    };
  }
  if (event === undefined) {
    const excerpt = Body.length > LONGEST_EXCERPT ? `${Body.slice(0, LONGEST_EXCERPT)}…` : Body;
    return { id, givenUpAt, from: 'unknown', code: '', message: excerpt };
  }
  return {
    id,
    givenUpAt,
    from: 'function',
    event,
    code: attribute('ErrorCode') ?? '',
    message: attribute('ErrorMessage') ?? '',
  };
}

/** The event as the function was, or was to be, invoked with it. */
function eventOf(
  body: Record<string, unknown> | undefined,
  scheduleArn: string | undefined,
  scheduledTime: string | undefined,
): OccurrenceEvent | undefined {
  // A payload that was too long is cut: then the schedule says for which job it was.
  const job = typeof body?.job === 'string' ? body.job : jobOfSchedule(scheduleArn);
  if (job === undefined) return undefined;
  for (const time of [body?.scheduledTime, scheduledTime]) {
    try {
      return parseOccurrenceEvent({ ...body, job, scheduledTime: time }, job);
    } catch (error) {
      if (!(error instanceof BelfryError)) throw error;
    }
  }
  return undefined;
}

/** Schedules are named `<group>_<job>`, further ones of a job `<group>_<job>.2`, in the scheduler's own group. */
function jobOfSchedule(arn: string | undefined): string | undefined {
  const [, group = '', name] = arn?.split('/') ?? [];
  return name?.startsWith(`${group}_`) ? name.slice(group.length + 1).replace(/\.\d+$/, '') : undefined;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
