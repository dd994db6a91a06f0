import type { JobDefinition } from '../job.ts';
import { parseSchedule } from '../schedule/parse-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { translateSchedule } from '../translation/translate-schedule.ts';
import { type ClockChanges, clockChangesOf } from '../watch/clock-changes.ts';
import { Misfires } from './misfires.ts';
import type { Outage, SimulatedRun } from './simulated-run.ts';
import { SimulatedTurn } from './simulated-turn.ts';

export type SimulatedJob = Pick<
  JobDefinition,
  'name' | 'schedule' | 'timeZone' | 'dst' | 'overlap' | 'catchUp' | 'expectedDurationMs'
>;

export interface SimulationOptions {
  /** Epoch milliseconds: after `from` (exclusive) up to `to` (inclusive). */
  readonly from: number;
  readonly to: number;
  /** Apart from each other, in order. */
  readonly outages?: readonly Outage[];
  /** How long every run takes. Default: what the job declares as `expectedDuration`, or no time at all. */
  readonly durationMs?: number;
}

const DAY_MS = 86_400_000;

type Kind = 'due' | 'supplement' | 'gap' | 'excluded';

interface Instant {
  readonly at: number;
  readonly kind: Kind;
}

/**
 * What becomes of every occurrence of one job, decided by the plans that decide on AWS: whose turn it is (`planOverlap`),
 * what starts late after an outage (`planCatchUp`), what EventBridge Scheduler does not fire by itself or fires beyond
 * what was asked (`clockChangesOf`). In the order in which it is decided. Runs always succeed; see `durationMs`.
 * @throws BelfryError what `parseSchedule` throws
 */
export function* simulateJob(job: SimulatedJob, options: SimulationOptions): Generator<SimulatedRun> {
  const told: SimulatedRun[] = [];
  const durationMs = options.durationMs ?? job.expectedDurationMs ?? 0;
  const outages = options.outages ?? [];
  const deliveredAt = (instant: number) =>
    outages.find(({ from, to }) => from <= instant && instant < to)?.to ?? instant;
  const turn = new SimulatedTurn(job, durationMs, deliveredAt, (run) => told.push(run));
  const misfires = new Misfires(job, turn, (run) => told.push(run));
  const ahead = outages.values();
  let outage = ahead.next().value;
  for (const { at, kind } of instantsOf(job, options)) {
    for (; outage !== undefined && outage.to <= at; outage = ahead.next().value) misfires.sweepFrom(outage.to);
    const isOut = outage !== undefined && outage.from <= at;
    if (!isOut) misfires.startUntil(at);
    turn.settle(at);
    if (kind === 'gap' || kind === 'excluded') told.push(leftOut(job.name, at, kind));
    else if (isOut) misfires.add(at);
    else {
      misfires.countDue();
      turn.deliver(at, at, kind === 'due' ? 'scheduler' : 'watchdog');
    }
    yield* told.splice(0);
  }
  if (outage !== undefined) misfires.sweepFrom(outage.to);
  misfires.startUntil(Number.POSITIVE_INFINITY);
  turn.finish();
  yield* told;
}

function leftOut(job: string, scheduledTime: number, cause: 'gap' | 'excluded'): SimulatedRun {
  return { job, scheduledTime, deliveredBy: 'nobody', status: 'skipped', cause };
}

/** All that the ledger would have a row of, in order. Changes of the clocks are looked for day by day: most have none. */
function* instantsOf({ schedule, timeZone, dst }: SimulatedJob, { from, to }: SimulationOptions): Generator<Instant> {
  const asked = parseSchedule(schedule, { timeZone, dst });
  const changes = clockChangesOf(asked, translateSchedule(asked), () =>
    parseSchedule(schedule, { timeZone, dst: { ...dst, gap: 'runAfter' } }),
  );
  for (let start = from; start < to; start += DAY_MS) {
    yield* instantsOfDay(asked, changes, start, Math.min(to, start + DAY_MS));
  }
}

function* instantsOfDay(schedule: Schedule, changes: ClockChanges, from: number, to: number): Generator<Instant> {
  const gaps = changes.gaps(from, to);
  const surplus = changes.surplus(from, to);
  const supplements = new Set(changes.supplements(from, to));
  if (gaps.length + surplus.length + supplements.size === 0) {
    for (const at of schedule.between(from, to)) yield { at, kind: 'due' };
    return;
  }
  const all: Instant[] = [
    ...gaps.map((at) => ({ at, kind: 'gap' as const })),
    ...surplus.map((at) => ({ at, kind: 'excluded' as const })),
  ];
  for (const at of schedule.between(from, to)) all.push({ at, kind: supplements.has(at) ? 'supplement' : 'due' });
  yield* all.sort((one, other) => one.at - other.at);
}
