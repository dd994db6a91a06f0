import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { reviewSchedule } from '../../../lib/domain/schedule/review-schedule.ts';
import { translateSchedule } from '../../../lib/domain/translation/translate-schedule.ts';
import { bruteForceFirings } from '../../support/brute-force-matcher.ts';
import { corpusRows } from '../../support/corpus.ts';

interface ValidRow {
  kind: 'valid';
  id: string;
  unix: string | string[];
  tz: string;
  aws: string[];
  why: string;
  windows: { from: string; to: string; n: number; sha256: string }[];
}

interface RefusedRow {
  kind: 'invalid' | 'dangerous';
  id: string;
  expr: string | string[] | null;
  expr_gen?: { prefix: string; repeat: string; times: number; suffix: string };
  tz?: string;
  verdict: 'reject' | 'warn' | 'normalize' | 'accept' | 'policy';
  why: string;
}

interface AwsInvalidRow {
  kind: 'aws_invalid';
  id: string;
  aws: string[];
  why: string;
}

const rows = corpusRows<ValidRow | RefusedRow | AwsInvalidRow>('translate.jsonl');
const known = rows ?? [];
const dangerous = known.filter((row) => row.kind === 'dangerous') as RefusedRow[];
// cron() is part of the dialect as it is; the row is about dialects that know five fields only.
const GIVEN_AS_IT_IS = 'x071';
const REFUSED_BY_POLICY = /^(?:WrapAroundRange|NeverFires)$/;

describe.runIf(rows)('translations of the corpus', () => {
  test('there are rows', () => {
    expect(known.length).toBeGreaterThan(200);
  });

  test.each(known.filter((row) => row.kind === 'valid'))('$id $unix in $tz: $why', (row) => {
    const isInterval = String(row.unix).startsWith('@every');
    for (const window of row.windows) {
      const from = Date.parse(window.from);
      const to = Date.parse(window.to);
      const schedule = parseSchedule(row.unix, {
        timeZone: row.tz,
        dst: { fold: 'first' },
        ...(isInterval ? { anchor: from } : {}),
      });
      const schedules = translateSchedule(schedule);
      expect(schedules.length).toBeLessThanOrEqual(row.aws.length);
      expect(digest(schedule.between(from, to))).toEqual({ count: window.n, sha256: window.sha256 });
      expect(digest(bruteForceFirings(schedules, from, to))).toEqual({ count: window.n, sha256: window.sha256 });
    }
  });

  test.each(known.filter((row) => row.kind === 'invalid' && row.id !== GIVEN_AS_IT_IS))(
    '$id is refused: $why',
    (row) => {
      expect(codeOf(row as RefusedRow)).toMatch(/^[A-Z][A-Za-z]+$/);
    },
  );

  test.each(dangerous)('$id $expr ($verdict): $why', (row) => {
    const code = codeOf(row);
    if (row.verdict === 'policy' && row.expr !== '@reboot') {
      expect(code).toMatch(REFUSED_BY_POLICY);
      return;
    }
    expect(code).toBeUndefined();
    const schedule = parseSchedule(row.expr as string, { timeZone: row.tz ?? 'UTC' });
    if (row.verdict === 'warn') {
      expect(reviewSchedule(schedule, Date.UTC(2026, 10, 29))).not.toEqual([]);
    }
  });

  test.each(known.filter((row) => row.kind === 'aws_invalid'))('$id $aws is refused: $why', (row) => {
    for (const expression of row.aws) {
      expect(() => parseSchedule(expression, { timeZone: 'UTC' })).toThrow();
    }
  });
});

function codeOf(row: RefusedRow): string | undefined {
  const { prefix = '', repeat = '', times = 0, suffix = '' } = row.expr_gen ?? {};
  const expression = row.expr_gen === undefined ? (row.expr as string) : `${prefix}${repeat.repeat(times)}${suffix}`;
  try {
    parseSchedule(expression, { timeZone: row.tz ?? 'UTC' });
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

function digest(instants: Iterable<number>): { count: number; sha256: string } {
  const texts = Array.from(instants, (instant) => new Date(instant).toISOString());
  return { count: texts.length, sha256: createHash('sha256').update(texts.join('\n')).digest('hex') };
}
