import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDbRunStore } from '../../adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbJobStates } from '../../adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import type { JobDefinition } from '../../domain/job.ts';
import { isFinished, type RunRecord } from '../../domain/run/run-record.ts';
import { MS_PER_DAY } from '../../domain/time/civil-date.ts';
import type { LocalEvent } from '../local-event.ts';
import type { RuntimeInside } from '../runtime-inside.ts';
import type { ConsoleNews } from './console-news.ts';
import { consoleRun, jsonOrText } from './console-run.ts';
import type { ConsoleSource } from './console-source.ts';
import type {
  ConsoleAlarm,
  ConsoleChange,
  ConsoleClock,
  ConsoleJob,
  ConsoleNote,
  ConsolePause,
  ConsoleRunDetail,
  ConsoleState,
} from './console-state.ts';
import { OpenRuns } from './open-runs.ts';
import { Outlook } from './outlook.ts';
import { readTail, runLog } from './run-log.ts';
import { RuntimeActions } from './runtime-actions.ts';
import { RuntimeClockControl } from './runtime-clock-control.ts';
import { StoredRuns } from './stored-runs.ts';
import { Told } from './told.ts';

const TELL_EVERY_MS = 250;
/** Every how many tells everything is told that changes with time alone, and what has no event of its own is looked at. */
const SLOW = 8;
const CONCURRENCY = 8;
const OUTLOOK_MS = 5 * 60_000;
/** Up to here all jobs are described again whenever one of them fired. */
const FEW_JOBS = 100;

/** A local runtime as the console shows it. */
export class RuntimeSource implements ConsoleSource {
  readonly actions: RuntimeActions;
  readonly clock: RuntimeClockControl;
  readonly #inside: RuntimeInside;
  #outlook: Outlook;
  /** The definitions behind the outlook. */
  #declared: string;
  readonly #client: DynamoDBClient;
  readonly #store: DynamoDbRunStore;
  readonly #stored: StoredRuns;
  readonly #states: DynamoDbJobStates;
  readonly #listeners = new Set<(change: ConsoleChange) => void>();
  readonly #news: ConsoleNews;
  readonly #newNotes: ConsoleNote[] = [];
  readonly #open: OpenRuns;
  #pauses = new Map<string, ConsolePause>();
  readonly #stale = { jobs: false, alarms: false, clock: false, pauses: false };
  readonly #told = new Told();
  #outlookAt = Number.NEGATIVE_INFINITY;
  #tells = 0;
  #isTelling = false;
  readonly #timer: NodeJS.Timeout;

  /** @param news takes in what is told from before this is made on */
  constructor(inside: RuntimeInside, news: ConsoleNews) {
    this.#inside = inside;
    this.#news = news;
    const jobs = declaredJobs(inside);
    this.#declared = JSON.stringify(jobs);
    this.#outlook = new Outlook(jobs);
    this.#client = new DynamoDBClient({
      endpoint: inside.dynamoDbUrl,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const tableName = inside.functions.find(({ jobs }) => jobs.length > 0)?.variables.BELFRY_TABLE ?? '';
    this.#store = new DynamoDbRunStore(this.#client, tableName);
    this.#stored = new StoredRuns(this.#client, tableName);
    this.#states = new DynamoDbJobStates(this.#client, tableName);
    this.#open = new OpenRuns((keys) => this.#store.getRuns(keys));
    this.clock = new RuntimeClockControl(
      inside.clock,
      () => earliest([...this.#outlook.jobs.keys()].map((name) => inside.nextFiring(name))),
      () => {
        this.#stale.clock = true;
      },
    );
    this.actions = new RuntimeActions({
      inside,
      outlook: () => this.#outlook,
      client: this.#client,
      tableName,
      onRun: (key) => this.#open.watch(key),
      onPause: () => {
        this.#stale.pauses = true;
      },
    });
    this.#timer = setInterval(() => void this.#tell(), TELL_EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#client.destroy();
  }

  /** To be called with everything that the runtime tells, and the news as well. */
  accept(event: LocalEvent): void {
    switch (event.type) {
      case 'fired':
      case 'run':
      case 'missed':
        this.#stale.jobs ||= event.type === 'fired';
        // Who comes later reads them all, and watches those without an outcome.
        if (this.#listeners.size > 0) {
          this.#open.watch({ job: event.job, scheduledTime: Date.parse(event.scheduledTime) });
        }
        break;
      case 'alarm':
        this.#stale.alarms = true;
        break;
      case 'note':
        this.#newNotes.push({ level: event.level, text: event.text, at: this.#inside.clock.now() });
        break;
    }
  }

  async state(): Promise<ConsoleState> {
    this.#readJobs();
    const now = this.#inside.clock.now();
    const runs: RunRecord[] = [];
    await this.#readPauses();
    await this.#eachJob(async (job) => {
      runs.push(...(await this.#stored.since(job, now - MS_PER_DAY)));
    });
    for (const run of runs) if (!isFinished(run)) this.#open.watch(run);
    return {
      environment: this.#inside.environment,
      clock: this.#clock(),
      jobs: this.#describeJobs(),
      runs: runs.map(consoleRun),
      upcoming: this.#outlook.upcoming(now),
      clockChanges: this.#outlook.changesAround(now),
      alarms: this.#describeAlarms(),
      notes: this.#news.notes,
    };
  }

  subscribe(listener: (change: ConsoleChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async run(job: string, scheduledTime: number): Promise<ConsoleRunDetail | undefined> {
    const lambda = this.#inside.functions.find(({ jobs }) => jobs.some(({ name }) => name === job));
    const run = lambda === undefined ? undefined : await this.#store.getRun({ job, scheduledTime });
    if (lambda === undefined || run === undefined) return undefined;
    const { attempts, lines } = runLog(readTail(this.#inside.logFile(lambda.name)), job, scheduledTime);
    return {
      run: consoleRun(run),
      attempts,
      ...(run.checkpoint === undefined ? {} : { checkpoint: jsonOrText(run.checkpoint) }),
      ...(run.result === undefined ? {} : { result: jsonOrText(run.result) }),
      logs: lines,
      records: await this.#stored.behind(job, scheduledTime),
    };
  }

  async #tell(): Promise<void> {
    if (this.#isTelling || this.#listeners.size === 0) return;
    this.#isTelling = true;
    try {
      const change = await this.#changes(this.#tells++ % SLOW === 0);
      if (Object.keys(change).length > 0) for (const listener of this.#listeners) listener(change);
    } catch {
      // The table is gone while the runtime stops; whatever else is wrong shows in its own messages.
    } finally {
      this.#isTelling = false;
    }
  }

  async #changes(isSlow: boolean): Promise<ConsoleChange> {
    const stale = { ...this.#stale };
    Object.assign(this.#stale, { jobs: false, alarms: false, clock: false, pauses: false });
    if (isSlow) this.#readJobs();
    if (isSlow || stale.pauses) await this.#readPauses();
    const skipped = isSlow ? await this.#open.skippedAhead(this.#nextOccurrences()) : [];
    const runs = [...(await this.#open.moved(this.#inside.clock.now())), ...skipped].map(consoleRun);
    const notes = this.#newNotes.splice(0);
    const { speed, paused } = this.#inside.clock;
    const isMoving = speed > 1 && !paused;
    const now = this.#inside.clock.now();
    return {
      ...(isSlow || isMoving || stale.clock ? { clock: this.#clock() } : {}),
      ...(isSlow || stale.pauses || (stale.jobs && this.#outlook.jobs.size <= FEW_JOBS)
        ? this.#told.unlessTold('jobs', this.#describeJobs())
        : {}),
      ...(isSlow || stale.alarms ? this.#told.unlessTold('alarms', this.#describeAlarms()) : {}),
      ...(isSlow ? this.#told.unlessTold('clockChanges', this.#outlook.changesAround(now)) : {}),
      ...(isSlow && this.#isOutlookOld(now) ? { upcoming: this.#outlook.upcoming(now) } : {}),
      ...(runs.length > 0 ? { runs } : {}),
      ...(notes.length > 0 ? { notes } : {}),
    };
  }

  /** The page sees a day ahead: a few minutes less do not show. */
  #isOutlookOld(now: number): boolean {
    if (Math.abs(now - this.#outlookAt) < OUTLOOK_MS) return false;
    this.#outlookAt = now;
    return true;
  }

  /** The app may be another one since it was read last. */
  #readJobs(): void {
    const jobs = declaredJobs(this.#inside);
    const declared = JSON.stringify(jobs);
    if (declared === this.#declared) return;
    this.#declared = declared;
    this.#outlookAt = Number.NEGATIVE_INFINITY;
    this.#outlook = new Outlook(jobs);
  }

  async #readPauses(): Promise<void> {
    const now = this.#inside.clock.now();
    const states = await this.#states.loadJobStates([...this.#outlook.jobs.keys()]);
    const paused = [...states].flatMap(([job, { pause }]): [string, ConsolePause][] =>
      pause === undefined || (pause.until ?? Number.POSITIVE_INFINITY) <= now
        ? []
        : [[job, { by: pause.by ?? 'somebody', note: pause.note ?? '' }]],
    );
    this.#pauses = new Map(paused);
  }

  async #eachJob(act: (job: string) => Promise<void>): Promise<void> {
    const names = [...this.#outlook.jobs.keys()];
    const worker = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await act(name);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  }

  #clock(): ConsoleClock {
    const { clock } = this.#inside;
    const now = clock.now();
    const real = !clock.paused && clock.speed === 1 && Math.abs(clock.offset) < 1_000;
    const { speed, jumpsTo } = this.clock;
    return {
      now,
      speed,
      paused: clock.paused,
      real,
      ...(jumpsTo === undefined ? {} : { jumpsTo }),
      nextChanges: this.#outlook.nextChanges(now),
    };
  }

  #nextOccurrences(): OccurrenceKey[] {
    return [...this.#outlook.jobs.keys()].flatMap((job) => {
      const scheduledTime = this.#inside.nextFiring(job);
      return scheduledTime === undefined ? [] : [{ job, scheduledTime }];
    });
  }

  #describeJobs(): ConsoleJob[] {
    const jobs = [...this.#outlook.jobs.values()].map(({ name, schedule, timeZone }): ConsoleJob => {
      const next = this.#inside.nextFiring(name);
      const paused = this.#pauses.get(name);
      return {
        name,
        schedule: typeof schedule === 'string' ? schedule : schedule.join(', '),
        timeZone,
        ...(next === undefined ? {} : { next }),
        ...(paused === undefined ? {} : { paused }),
      };
    });
    return jobs.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #describeAlarms(): ConsoleAlarm[] {
    return [...this.#inside.alarms].map(([{ name, description, severity }, state]) => ({
      name,
      description,
      severity,
      state,
      ...this.#news.alarms.get(name),
    }));
  }
}

function declaredJobs({ functions }: RuntimeInside): JobDefinition[] {
  return functions.flatMap(({ jobs }) => jobs);
}

function earliest(instants: readonly (number | undefined)[]): number | undefined {
  const known = instants.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
