import type { AlarmResource } from '../assembly/resources.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { MetricDatum } from './embedded-metrics.ts';
import { type AlarmState, evaluateAlarm, evaluationRange } from './evaluate-alarm.ts';
import { type MetricSeries, MetricStore } from './metric-store.ts';

const MINUTE_MS = 60_000;

export interface AlarmChange {
  readonly alarm: AlarmResource;
  readonly from: AlarmState;
  readonly state: AlarmState;
  readonly reason: string;
  readonly at: number;
}

export interface AlarmEvaluatorOptions {
  readonly clock: VirtualClock;
  readonly alarms: readonly AlarmResource[];
  readonly onChange: (change: AlarmChange) => void;
  /** Called before each evaluation, to add metrics that are gauges. */
  readonly sample?: (add: (datum: MetricDatum) => void) => void;
}

interface Watched {
  readonly series: MetricSeries;
  /** Where the periods end that the alarm's state is of. */
  evaluatedTo?: number;
}

/** Evaluates the template's alarms every minute of the clock, over whole periods that are past. */
export class AlarmEvaluator {
  readonly #options: AlarmEvaluatorOptions;
  readonly #metrics = new MetricStore();
  readonly #states = new Map<AlarmResource, AlarmState>();
  readonly #watched = new Map<AlarmResource, Watched>();
  #startedAt = 0;
  #cancel = () => {};

  constructor(options: AlarmEvaluatorOptions) {
    this.#options = options;
    this.setAlarms(options.alarms);
  }

  /** Evaluates these from now on. An alarm of the same name keeps its state, as when CloudWatch updates one. */
  setAlarms(alarms: readonly AlarmResource[]): void {
    const before = new Map([...this.#states].map(([alarm, state]) => [alarm.name, state]));
    this.#states.clear();
    this.#watched.clear();
    for (const alarm of alarms) {
      this.#states.set(alarm, before.get(alarm.name) ?? 'INSUFFICIENT_DATA');
      const series = this.#metrics.watch(alarm, alarm.periodMs * (evaluationRange(alarm) + 1));
      this.#watched.set(alarm, { series });
    }
  }

  get states(): ReadonlyMap<AlarmResource, AlarmState> {
    return this.#states;
  }

  add(datum: MetricDatum): void {
    this.#metrics.add(datum);
  }

  start(): void {
    this.#startedAt = this.#options.clock.now();
    this.#arm();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(): void {
    const { clock } = this.#options;
    const next = (Math.floor(clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
    this.#cancel = clock.schedule(next, () => {
      this.#evaluate(clock.now());
      this.#arm();
    });
  }

  #evaluate(now: number): void {
    this.#options.sample?.((datum) => this.#metrics.add(datum));
    for (const [alarm, watched] of this.#watched) {
      const { series, evaluatedTo } = watched;
      const end = Math.floor(now / alarm.periodMs) * alarm.periodMs;
      // No period has ended since, and no data has come for those that had: the answer is the same.
      if (end === evaluatedTo && series.changedFrom >= end) continue;
      const periods = evaluationRange(alarm);
      // Before the runtime has been up for as long as the alarm looks back, absence of data proves nothing.
      if (alarm.missingData === 'breaching' && end - periods * alarm.periodMs < this.#startedAt) continue;
      watched.evaluatedTo = end;
      const datapoints = Array.from({ length: periods }, (_, index) => {
        const from = end - (periods - index) * alarm.periodMs;
        return series.statistic(alarm.statistic, from, from + alarm.periodMs);
      });
      const before = this.#states.get(alarm) ?? 'INSUFFICIENT_DATA';
      const evaluation = evaluateAlarm(alarm, datapoints, before);
      const { state } = evaluation;
      if (state === before) continue;
      this.#states.set(alarm, state);
      this.#options.onChange({ alarm, from: before, state, reason: evaluation.reason, at: now });
    }
    this.#metrics.seen(now);
  }
}
