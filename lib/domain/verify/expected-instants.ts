import { parseSchedule } from '../schedule/parse-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { zoneNamed } from '../time/zone.ts';
import type { RosterEntry } from '../watch/watch-state.ts';
import type { DefinitionSpan } from './definition-history.ts';

const DAY_MS = 86_400_000;

/**
 * The instants at which the ledger must have a row of the job, in order: `from` exclusive, `to` inclusive. This walks the
 * schedule by itself, one occurrence after the other; it shares nothing with the watchdog but the schedule language.
 */
export function* expectedInstants(spans: readonly DefinitionSpan[], from: number, to: number): Generator<number> {
  for (const span of spans) {
    const start = Math.max(from, span.from);
    const end = Math.min(to, span.until);
    if (start >= end) continue;
    const [first, second] = span.definitions;
    if (first === undefined) continue;
    if (second === undefined) yield* walk(first, start, end);
    else {
      const both = new Set(walk(second, start, end));
      for (const at of walk(first, start, end)) if (both.has(at)) yield at;
    }
  }
}

function* walk(definition: RosterEntry, from: number, to: number): Generator<number> {
  const schedule = scheduleOf(definition);
  const jumps = jumpedOver(definition, schedule, from, to);
  let jump = jumps.next();
  let at = schedule.next(from);
  while ((at !== undefined && at <= to) || jump.done !== true) {
    if (jump.done !== true && (at === undefined || jump.value < at)) {
      yield jump.value;
      jump = jumps.next();
    } else if (at !== undefined) {
      yield at;
      at = schedule.next(at);
    }
  }
}

/** Wall times that did not exist and are left out have a row too, at the instant that would have stood for them. */
function* jumpedOver(definition: RosterEntry, schedule: Schedule, from: number, to: number): Generator<number> {
  const { dst } = definition;
  if ((dst.gap ?? 'skip') !== 'skip') return;
  let filled: Schedule | undefined;
  let last = from;
  for (const { at, offsetBefore, offsetAfter } of zoneNamed(definition.timeZone).transitionsBetween(
    from - DAY_MS,
    to,
  )) {
    if (offsetAfter <= offsetBefore) continue;
    filled ??= scheduleOf({ ...definition, dst: { ...dst, gap: 'runAfter' } });
    const end = Math.min(to, at + DAY_MS);
    let candidate = filled.next(Math.max(last, at - 1));
    while (candidate !== undefined && candidate <= end) {
      if (schedule.next(candidate - 1) !== candidate) yield candidate;
      last = candidate;
      candidate = filled.next(candidate);
    }
  }
}

export function isDue(definition: RosterEntry, instant: number): boolean {
  return scheduleOf(definition).next(instant - 1) === instant;
}

const schedules = new WeakMap<RosterEntry, Schedule>();

function scheduleOf(definition: RosterEntry): Schedule {
  let schedule = schedules.get(definition);
  if (schedule === undefined) {
    schedule = parseSchedule(definition.schedule, { timeZone: definition.timeZone, dst: definition.dst });
    schedules.set(definition, schedule);
  }
  return schedule;
}
