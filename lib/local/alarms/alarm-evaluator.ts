import type { AlarmResource, AlarmState } from '../assembly/resources.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { evaluationRange, MESSAGE_DELAY_MS, metricDelay, nextEvaluation, rangeBounds } from './alarm-timing.ts';
import type { MetricDatum } from './embedded-metrics.ts';
import { evaluateAlarm } from './evaluate-alarm.ts';
import type { MetricSeries } from './metric-series.ts';
import { MetricStore } from './metric-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface AlarmChange {
  readonly alarm: AlarmResource;
  readonly from: AlarmState;
  readonly state: AlarmState;
  readonly reason: string;
  readonly at: number;
}

/** What an alarm sends to a topic. */
export interface AlarmMessage extends AlarmChange {
  readonly topicArn: string;
}

export interface AlarmEvaluatorOptions {
  readonly clock: VirtualClock;
  readonly alarms: readonly AlarmResource[];
  readonly onChange: (change: AlarmChange) => void;
  /** Called a second after a change, for each topic that the alarm tells of it. */
  readonly onMessage?: (message: AlarmMessage) => void;
  /** Called every minute, to add metrics that are gauges. */
  readonly sample?: (add: (datum: MetricDatum) => void) => void;
  /** Decides how long each metric takes, and when within its minute each alarm is evaluated. Default 0. */
  readonly seed?: number;
}

/** What outlives a change of the alarm's definition. */
interface Life {
  state: AlarmState;
  readonly createdAt: number;
  isWarm: boolean;
}

interface Watched {
  readonly alarm: AlarmResource;
  readonly series: MetricSeries;
  readonly life: Life;
  /** When it is evaluated next; undefined while nothing could change its state. */
  nextAt: number | undefined;
  cancel: () => void;
}

/**
 * Evaluates the template's alarms as CloudWatch does: on data that comes late, each alarm in its own second of the minute,
 * over more periods than it asks for, from its creation on. Between two evaluations nothing is done, and none takes place
 * while an alarm has neither data nor a warm-up that ends.
 */
export class AlarmEvaluator {
  readonly #options: AlarmEvaluatorOptions;
  readonly #seed: number;
  readonly #metrics = new MetricStore();
  readonly #watched = new Map<string, Watched>();
  #isStarted = false;
  #cancelSample = () => {};

  constructor(options: AlarmEvaluatorOptions) {
    this.#options = options;
    this.#seed = options.seed ?? 0;
    this.setAlarms(options.alarms);
  }

  /** The alarms are created now: each begins with INSUFFICIENT_DATA. */
  start(): void {
    this.#isStarted = true;
    const alarms = [...this.#watched.values()].map(({ alarm }) => alarm);
    this.#watched.clear();
    this.setAlarms(alarms);
    this.#armSample();
  }

  stop(): void {
    this.#isStarted = false;
    this.#cancelSample();
    for (const watched of this.#watched.values()) watched.cancel();
  }

  /** Evaluates these from now on. An alarm of the same name keeps its state, as when CloudWatch updates one. */
  setAlarms(alarms: readonly AlarmResource[]): void {
    const { clock } = this.#options;
    const lives = new Map([...this.#watched].map(([name, { life }]) => [name, life]));
    for (const watched of this.#watched.values()) watched.cancel();
    this.#watched.clear();
    for (const alarm of alarms) {
      const keepMs = alarm.periodMs * (evaluationRange(alarm) + 1) + DAY_MS;
      const watched: Watched = {
        alarm,
        series: this.#metrics.watch(alarm, keepMs),
        life: lives.get(alarm.name) ?? {
          state: 'INSUFFICIENT_DATA',
          createdAt: clock.now(),
          isWarm: alarm.warmUp === undefined,
        },
        nextAt: undefined,
        cancel: () => {},
      };
      this.#watched.set(alarm.name, watched);
      if (this.#isStarted) this.#arm(watched, clock.now() + 1);
    }
  }

  get states(): ReadonlyMap<AlarmResource, AlarmState> {
    return new Map([...this.#watched.values()].map(({ alarm, life }) => [alarm, life.state]));
  }

  /** A datum that was printed now, or at its own instant if that is to come. */
  add({ namespace, name, dimensions, value, at }: MetricDatum): void {
    const series = this.#metrics.find(namespace, name, dimensions);
    if (series === undefined) return;
    const visibleAt = Math.max(at, this.#options.clock.now()) + metricDelay(at, this.#seed);
    series.add(value, at, visibleAt);
    if (!this.#isStarted) return;
    for (const watched of this.#watched.values()) {
      if (watched.series !== series || visibleAt > (watched.nextAt ?? Number.POSITIVE_INFINITY)) continue;
      watched.cancel();
      this.#arm(watched, visibleAt);
    }
  }

  #arm(watched: Watched, from: number): void {
    const at = nextEvaluation(watched.alarm, from, this.#seed);
    watched.nextAt = at;
    watched.cancel = this.#options.clock.schedule(at, () => this.#evaluate(watched, at));
  }

  #evaluate(watched: Watched, at: number): void {
    const { alarm, series, life } = watched;
    series.advance(at);
    const bounds = rangeBounds(alarm, at);
    const datapoints = bounds.slice(1).map((to, index) => series.statistic(alarm.statistic, bounds[index] ?? to, to));
    life.isWarm ||= isWarm(alarm, datapoints, at - life.createdAt);
    if (life.isWarm) this.#judge(watched, datapoints, at);
    watched.nextAt = undefined;
    if (!life.isWarm || series.hasDataSince(bounds[0] ?? at)) this.#arm(watched, at + 1);
  }

  #judge({ alarm, life }: Watched, datapoints: readonly (number | undefined)[], at: number): void {
    const evaluation = evaluateAlarm(alarm, datapoints, life.state);
    if (evaluation.state === life.state) return;
    const change: AlarmChange = { alarm, from: life.state, state: evaluation.state, reason: evaluation.reason, at };
    life.state = evaluation.state;
    const { clock, onChange, onMessage } = this.#options;
    onChange(change);
    if (onMessage === undefined) return;
    for (const topicArn of alarm.actions[change.state]) {
      const sentAt = at + MESSAGE_DELAY_MS;
      clock.schedule(sentAt, () => onMessage({ ...change, topicArn, at: sentAt }));
    }
  }

  #armSample(): void {
    const { clock, sample } = this.#options;
    if (sample === undefined) return;
    const next = (Math.floor(clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
    this.#cancelSample = clock.schedule(next, () => {
      sample((datum) => this.add(datum));
      this.#armSample();
    });
  }
}

/** Whether the alarm's warm-up has ended: its time is over, or all its periods have data. */
function isWarm(
  { warmUp, evaluationPeriods }: AlarmResource,
  datapoints: readonly (number | undefined)[],
  ageMs: number,
): boolean {
  if (warmUp === undefined || ageMs >= warmUp.durationMs) return true;
  return !warmUp.isFixed && datapoints.slice(-evaluationPeriods).every((value) => value !== undefined);
}
