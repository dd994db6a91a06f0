import { describe, expect, test } from 'vitest';
import { BelfryError } from '../../../lib/domain/errors.ts';
import type { FoldPolicy } from '../../../lib/domain/job.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { corpusRows } from '../../support/corpus.ts';

interface OccurrenceRow {
  id: string;
  expr: string | string[];
  tz: string;
  from: string;
  count: number;
  expected: string[];
  expected_once?: string[];
  expected_interval?: string[];
  optional?: boolean;
  never?: boolean;
  why: string;
}

const rows = corpusRows<OccurrenceRow>('cases.jsonl');

describe.runIf(rows)('occurrences of the corpus', () => {
  const known = rows ?? [];

  test('there are rows', () => {
    expect(known.length).toBeGreaterThan(300);
  });

  test.each(known.filter(({ optional }) => !optional))('$id $expr in $tz: $why', (row) => {
    expect(occurrences(row, undefined)).toEqual(row.expected_interval ?? row.expected);
    expect(occurrences(row, 'first')).toEqual(row.expected_once ?? row.expected);
    expect(occurrencesBackwards(row)).toEqual((row.expected_interval ?? row.expected).toReversed());
  });

  test.each(known.filter(({ optional }) => optional))('$id $expr is refused: $why', (row) => {
    expect(() => parseSchedule(row.expr, { timeZone: row.tz })).toThrow(/write it as two ranges, '/);
  });
});

function occurrences(row: OccurrenceRow, fold: FoldPolicy | undefined): string[] {
  const from = Date.parse(row.from);
  const found: string[] = [];
  try {
    const options = { timeZone: row.tz, anchor: from, ...(fold === undefined ? {} : { dst: { fold } }) };
    for (const instant of parseSchedule(row.expr, options).between(from, Number.POSITIVE_INFINITY)) {
      found.push(new Date(instant).toISOString());
      if (found.length === row.count) {
        break;
      }
    }
  } catch (error) {
    if (row.never && error instanceof BelfryError && error.code === 'NeverFires') {
      return [];
    }
    throw error;
  }
  return found;
}

function occurrencesBackwards(row: OccurrenceRow): string[] {
  const last = (row.expected_interval ?? row.expected).at(-1);
  if (last === undefined) {
    return [];
  }
  const schedule = parseSchedule(row.expr, { timeZone: row.tz, anchor: Date.parse(row.from) });
  const found: string[] = [];
  let instant = schedule.previous(Date.parse(last) + 1);
  while (instant !== undefined && instant > Date.parse(row.from)) {
    found.push(new Date(instant).toISOString());
    instant = schedule.previous(instant);
  }
  return found;
}
