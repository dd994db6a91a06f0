import fc from 'fast-check';
import { BelfryError } from '../../lib/domain/errors.ts';
import { parseSchedule } from '../../lib/domain/schedule/parse-schedule.ts';
import type { Schedule } from '../../lib/domain/schedule/schedule.ts';
import { supplementsBetween, surplusBetween } from '../../lib/domain/translation/supplements.ts';
import { translateSchedule } from '../../lib/domain/translation/translate-schedule.ts';
import { bruteForceFirings, bruteForceOccurrences } from './brute-force-matcher.ts';
import { changingZones, type RandomSchedule, randomSchedule } from './random-schedules.ts';

const WINDOW_MS = 3 * 86_400_000;

/**
 * Random schedules against the brute-force matcher. The seed is printed when a case fails; BELFRY_SEED repeats it.
 */
export function checkOccurrences(numRuns: number, years: readonly [first: number, last: number]): void {
  const seed = process.env.BELFRY_SEED;
  fc.assert(
    fc.property(randomSchedule(changingZones(), years), (sample) => checkSample(sample)),
    { numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  );
}

function checkSample({ expressions, timeZone, gap, fold, from }: RandomSchedule): void {
  const schedule = parseOrSkip(expressions, timeZone, gap, fold);
  if (schedule === undefined) {
    return;
  }
  const to = from + WINDOW_MS;
  const occurrences = [...schedule.between(from, to)];
  same('occurrences', occurrences, bruteForceOccurrences(expressions, { timeZone, gap, fold }, from, to));
  occurrences.forEach((instant, index) => {
    const previous = occurrences[index - 1];
    if (previous !== undefined) {
      check(previous < instant, `not increasing at ${instant}`);
      check(
        schedule.previous(instant) === previous,
        `previous(${instant}) is ${schedule.previous(instant)}, not ${previous}`,
      );
      check(schedule.next(instant - 1) === instant, `next(${instant} - 1) is ${schedule.next(instant - 1)}`);
    }
  });
  check(
    schedule.next(to) === undefined ||
      schedule.previous(schedule.next(to) ?? 0) === (occurrences.at(-1) ?? schedule.previous(from + 1)),
    'previous(next(t)) is not the last occurrence up to t',
  );
  const canonical = parseSchedule(schedule.expressions, { timeZone, dst: dst(gap, fold) });
  same('occurrences of the canonical form', [...canonical.between(from, to)], occurrences);
  check(
    JSON.stringify(canonical.expressions) === JSON.stringify(schedule.expressions),
    `canonical form ${schedule.expressions} reads as ${canonical.expressions}`,
  );
  checkTranslation(schedule, occurrences, fold, from, to);
}

function checkTranslation(
  schedule: Schedule,
  occurrences: readonly number[],
  fold: RandomSchedule['fold'],
  from: number,
  to: number,
): void {
  // A translation is for the future: offsets that a zone has given up do not count.
  if (from < Date.UTC(2020, 0, 1)) {
    return;
  }
  const aws = translateSchedule(schedule);
  const fired = bruteForceFirings(aws, from, to);
  const supplements = [...supplementsBetween(schedule, aws, from, to)];
  const surplus = new Set(surplusBetween(schedule, aws, from, to));
  const union = [...new Set([...fired, ...supplements])].filter((instant) => !surplus.has(instant));
  same(
    'firings and supplements',
    union.sort((one, other) => one - other),
    occurrences,
  );
  check(fold === 'second' || surplus.size === 0, `surplus under fold ${fold}: ${[...surplus]}`);
  for (const { expression } of aws) {
    check(expression.length <= 256, `${expression} is too long`);
  }
}

function parseOrSkip(
  expressions: readonly string[],
  timeZone: string,
  gap: RandomSchedule['gap'],
  fold: RandomSchedule['fold'],
): Schedule | undefined {
  try {
    return parseSchedule(expressions, { timeZone, dst: dst(gap, fold) });
  } catch (error) {
    if (error instanceof BelfryError && error.code === 'NeverFires') {
      return undefined;
    }
    throw error;
  }
}

function dst(gap: RandomSchedule['gap'], fold: RandomSchedule['fold']) {
  return fold === undefined ? { gap } : { gap, fold };
}

function same(what: string, got: readonly number[], wanted: readonly number[]): void {
  const text = (instants: readonly number[]) => instants.map((instant) => new Date(instant).toISOString());
  const extra = text(got.filter((instant) => !wanted.includes(instant)));
  const lacking = text(wanted.filter((instant) => !got.includes(instant)));
  check(
    got.length === wanted.length && extra.length === 0,
    `${what}: too many ${extra.slice(0, 5)}, lacking ${lacking.slice(0, 5)} (${got.length} against ${wanted.length})`,
  );
}

function check(holds: boolean, message: string): void {
  if (!holds) {
    throw new Error(message);
  }
}
