import { BelfryError } from '../../domain/errors.ts';
import type { DstPolicy } from '../../domain/job.ts';
import { quote } from '../../domain/quote.ts';
import { explainSchedule } from '../../domain/translation/explain-schedule.ts';
import { awsJson, iso } from './explain-json.ts';

const DEFAULT_COUNT = 10;

/**
 * The answer to one line of `belfry explain --batch`, as a line: `{ id, ok: true, ... }`, or `{ id, ok: false, error }`
 * for whatever the line got wrong. `@every` and `rate()` count from the line's own `from`.
 */
export function answerLine(line: string, now: number, mostOccurrences: number): string {
  let id: unknown = null;
  try {
    const question = parseLine(line);
    id = question.id ?? null;
    const from = question.from === undefined ? now : fromOf(question.from);
    const explanation = explainSchedule({
      expression: question.expr as string | string[],
      timeZone: question.tz as string,
      dst: dstOf(question),
      from,
      count: countOf(question.count, mostOccurrences),
      anchor: from,
    });
    return JSON.stringify({
      id,
      ok: true,
      canonical: explanation.canonical,
      timeZone: explanation.schedule.timeZone,
      description: explanation.description,
      aws: explanation.aws.map(awsJson),
      next: explanation.next.map(iso),
      warnings: explanation.warnings,
    });
  } catch (error) {
    if (!(error instanceof BelfryError)) {
      throw error;
    }
    return JSON.stringify({ id, ok: false, error: { code: error.code, message: error.message } });
  }
}

function parseLine(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BelfryError(
      'MalformedLine',
      `line ${quote(line)} is not JSON: write {"id":…,"expr":"0 8 * * *","tz":"UTC"}`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BelfryError(
      'MalformedLine',
      `line ${quote(line)} is not an object: write {"id":…,"expr":"0 8 * * *","tz":"UTC"}`,
    );
  }
  return value as Record<string, unknown>;
}

function fromOf(from: unknown): number {
  if (typeof from === 'number' && Number.isFinite(from)) {
    return from;
  }
  if (typeof from !== 'string') {
    throw new BelfryError(
      'IllegalInstant',
      `from ${quote(from)} is not an instant: write it like "2027-01-01T00:00:00Z"`,
    );
  }
  return parseFrom(from);
}

function countOf(count: unknown, most: number): number {
  if (count === undefined || count === null) {
    return DEFAULT_COUNT;
  }
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > most) {
    throw new BelfryError(
      'IllegalOption',
      `count ${quote(count)} is out of range: allowed are whole numbers from 0 to ${most}`,
    );
  }
  return count;
}

function dstOf({ gap, fold }: Record<string, unknown>): DstPolicy {
  return {
    ...(gap === undefined || gap === null ? {} : { gap }),
    ...(fold === undefined || fold === null ? {} : { fold }),
  } as DstPolicy;
}

/** An instant must say its offset: a wall time would mean another instant on another machine. */
export function parseFrom(text: string): number {
  const isInstant = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const instant = isInstant ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant)) {
    throw new BelfryError(
      'IllegalInstant',
      `from ${quote(text)} is not an instant: write it with its offset, e.g. 2027-01-01T00:00:00Z, or a date, whose start in UTC is meant`,
    );
  }
  return instant;
}
