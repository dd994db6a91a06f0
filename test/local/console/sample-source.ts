import { BelfryError } from '../../../lib/domain/errors.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import type { ConsoleActions, ConsoleClockControl, ConsoleSource } from '../../../lib/local/console/console-source.ts';
import type {
  ConsoleAlarm,
  ConsoleChange,
  ConsoleClock,
  ConsoleJob,
  ConsolePause,
  ConsoleRun,
  ConsoleRunDetail,
  ConsoleState,
} from '../../../lib/local/console/console-state.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const JOBS = [
  { name: 'db-cleanup', schedule: '@daily', timeZone: 'UTC' },
  { name: 'heartbeat', schedule: '* * * * *', timeZone: 'UTC' },
  { name: 'invoice-dunning', schedule: '0 8 * * *', timeZone: 'America/New_York' },
  { name: 'usage-report', schedule: '@hourly', timeZone: 'Europe/London' },
] as const;

const CHANGES = [
  { timeZone: 'America/New_York', at: Date.parse('2026-11-01T06:00:00Z'), shiftMinutes: -60 },
  { timeZone: 'Europe/London', at: Date.parse('2027-03-28T01:00:00Z'), shiftMinutes: 60 },
];

/** A runtime for the page to show, with a day behind it, that does what it is asked. Its clock moves only when told. */
export class SampleSource implements ConsoleSource {
  now = Date.parse('2026-10-31T23:14:05Z');
  speed = 1;
  paused = false;
  readonly asked: string[] = [];
  readonly runs = new Map<string, ConsoleRun>();
  readonly #pauses = new Map<string, ConsolePause>([['db-cleanup', { by: 'console', note: 'restoring a backup' }]]);
  readonly #listeners = new Set<(change: ConsoleChange) => void>();

  constructor() {
    for (const { name, schedule, timeZone } of JOBS) {
      for (const at of parseSchedule(schedule, { timeZone }).between(this.now - DAY, this.now))
        this.put(sampleRun(name, at));
    }
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  put(run: ConsoleRun): void {
    this.runs.set(`${run.job} ${run.scheduledTime}`, run);
  }

  tell(change: ConsoleChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  async state(): Promise<ConsoleState> {
    return {
      environment: 'dev',
      clock: this.#clock(),
      jobs: this.#jobs(),
      runs: [...this.runs.values()],
      upcoming: Object.fromEntries(
        JOBS.map(({ name, schedule, timeZone }) => [
          name,
          [...parseSchedule(schedule, { timeZone }).between(this.now, this.now + DAY)],
        ]),
      ),
      clockChanges: CHANGES.filter(({ at }) => Math.abs(at - this.now) < DAY),
      alarms: ALARMS,
      notes: [{ level: 'info', text: 'synthesised the app', at: this.now - 60_000 }],
    };
  }

  subscribe(listener: (change: ConsoleChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async run(job: string, scheduledTime: number): Promise<ConsoleRunDetail | undefined> {
    const run = this.runs.get(`${job} ${scheduledTime}`);
    if (run === undefined) return undefined;
    const first = {
      attempt: 1,
      status: run.attempts > 1 ? 'pending' : run.status,
      endedAt: scheduledTime + 1_650,
      durationMs: 1_212,
      latenessMs: 438,
    };
    return {
      run,
      attempts: [
        {
          ...first,
          fencingToken: 1,
          requestId: '4f1d9a4e-aaaa',
          ...(run.attempts > 1 ? { error: 'SupplierError: 503 Service Unavailable' } : {}),
        },
        ...(run.attempts > 1
          ? [
              {
                ...first,
                attempt: 2,
                status: run.status,
                endedAt: scheduledTime + 13_450,
                fencingToken: 2,
                requestId: '9e0b-bbbb',
              },
            ]
          : []),
      ],
      checkpoint: { load: { rows: 3_214 } },
      result: { reminders: 12 },
      logs: [
        '2026-10-31T12:00:00.612Z\t4f1d9a4e-aaaa\tINFO\tloading overdue invoices',
        '2026-10-31T12:00:01.288Z\t4f1d9a4e-aaaa\tINFO\t12 of 3,214 are overdue <b>not bold</b>',
      ],
      records: [
        {
          pk: `J#${job}`,
          sk: `R#${new Date(scheduledTime).toISOString()}`,
          status: run.status,
          attempts: run.attempts,
        },
      ],
    };
  }

  readonly actions: ConsoleActions = {
    trigger: async (job) => {
      this.asked.push(`trigger ${job}`);
      const scheduledTime = Math.floor(this.now / 1_000) * 1_000;
      this.put({ job, scheduledTime, status: 'running', attempts: 1, trigger: 'manual', startedAt: this.now });
      this.tell({ runs: [...this.runs.values()].slice(-1) });
      return scheduledTime;
    },
    pause: async (job, note) => {
      this.asked.push(`pause ${job}: ${note}`);
      this.#pauses.set(job, { by: 'console', note });
      this.tell({ jobs: this.#jobs() });
    },
    resume: async (job) => {
      this.asked.push(`resume ${job}`);
      this.#pauses.delete(job);
      this.tell({ jobs: this.#jobs() });
    },
    skip: async (job, scheduledTime) => {
      this.asked.push(`skip ${job} ${new Date(scheduledTime).toISOString()}`);
      this.put({
        job,
        scheduledTime,
        status: 'skipped',
        attempts: 0,
        trigger: 'schedule',
        cause: 'asked in the console',
      });
      this.tell({ runs: [...this.runs.values()].slice(-1) });
    },
    backfill: async (job, from, to) => {
      if (from >= to) throw new BelfryError('EmptyRange', 'the range is empty: give an end after its beginning');
      this.asked.push(`backfill ${job} ${new Date(from).toISOString()} ${new Date(to).toISOString()}`);
      return 3;
    },
  };

  readonly clock: ConsoleClockControl = {
    pause: () => this.#move('pauseClock', () => (this.paused = true)),
    resume: () => this.#move('resumeClock', () => (this.paused = false)),
    step: () => {
      this.#move('step', () => (this.now = Math.ceil((this.now + 1) / 60_000) * 60_000));
      return this.now;
    },
    jump: (to) => this.#move(`jump ${new Date(to).toISOString()}`, () => (this.now = to)),
    setSpeed: (speed) => this.#move(`setSpeed ${speed}`, () => (this.speed = speed)),
  };

  #move(what: string, change: () => void): void {
    this.asked.push(what);
    change();
    this.tell({ clock: this.#clock() });
  }

  #clock(): ConsoleClock {
    return { now: this.now, speed: this.speed, paused: this.paused, real: false, nextChanges: CHANGES };
  }

  #jobs(): ConsoleJob[] {
    return JOBS.map(({ name, schedule, timeZone }) => {
      const next = parseSchedule(schedule, { timeZone }).next(this.now);
      const paused = this.#pauses.get(name);
      return {
        name,
        schedule,
        timeZone,
        ...(next === undefined ? {} : { next }),
        ...(paused === undefined ? {} : { paused }),
      };
    });
  }
}

function sampleRun(job: string, scheduledTime: number): ConsoleRun {
  const base = {
    job,
    scheduledTime,
    status: 'succeeded',
    attempts: 1,
    trigger: 'schedule',
    startedAt: scheduledTime + 438,
    endedAt: scheduledTime + 1_650,
  };
  const hour = new Date(scheduledTime).getUTCHours();
  if (job === 'usage-report' && hour === 14)
    return { ...base, status: 'failed', attempts: 3, error: 'SupplierError: 503 Service Unavailable' };
  if (job === 'usage-report' && hour === 19)
    return { ...base, attempts: 2, trigger: 'catchUp', endedAt: scheduledTime + 13_450 };
  if (job === 'heartbeat' && hour === 3 && new Date(scheduledTime).getUTCMinutes() < 20) {
    return {
      job,
      scheduledTime,
      status: 'missed',
      attempts: 0,
      trigger: 'schedule',
      cause: 'the schedule did not fire',
    };
  }
  if (job === 'db-cleanup')
    return { job, scheduledTime, status: 'skipped', attempts: 0, trigger: 'schedule', cause: 'paused' };
  return base;
}

const ALARMS: readonly ConsoleAlarm[] = [
  {
    name: 'belfry-dev-Failed',
    description: 'a run in dev failed in its last attempt. Severity: ticket. Runbook: belfry jobs --environment dev',
    severity: 'ticket',
    state: 'ALARM',
    reason: '1 of 1 datapoints [1.0 (14:00)] was at least 1',
    since: Date.parse('2026-10-31T14:02:00Z'),
  },
  ...['Missed', 'TimedOut', 'DeadLetters', 'WatchdogSilent'].map((name) => ({
    name: `belfry-dev-${name}`,
    description: `${name}. Severity: warn. Runbook: belfry verify --environment dev`,
    severity: name === 'WatchdogSilent' ? 'page' : 'warn',
    state: 'OK',
  })),
];
