/** What the console shows: plain JSON, shared with its page. Instants are epoch milliseconds on the runtime's clock. */
export interface ConsoleState {
  readonly environment: string;
  readonly clock: ConsoleClock;
  readonly jobs: readonly ConsoleJob[];
  /** Runs of the past day, in no order. */
  readonly runs: readonly ConsoleRun[];
  /** Occurrences from now to the end of the next day, by job. */
  readonly upcoming: { readonly [job: string]: readonly number[] };
  /** Changes of the jobs' clocks within the past day and the next. */
  readonly clockChanges: readonly ConsoleClockChange[];
  readonly alarms: readonly ConsoleAlarm[];
  /** The latest last. */
  readonly notes: readonly ConsoleNote[];
}

export interface ConsoleClock {
  readonly now: number;
  /** Virtual milliseconds per real one while nothing runs. */
  readonly speed: number;
  readonly paused: boolean;
  /** Where it is going as fast as the work allows. */
  readonly jumpsTo?: number;
  /** It shows the real time, and moving it makes it a virtual one. */
  readonly real: boolean;
  /** The next change of each zone's clock, of the zones that jobs use. */
  readonly nextChanges: readonly ConsoleClockChange[];
}

export interface ConsoleClockChange {
  readonly timeZone: string;
  readonly at: number;
  /** Minutes that the zone's clock is moved; negative when it is put back. */
  readonly shiftMinutes: number;
}

export interface ConsoleJob {
  readonly name: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly next?: number;
  readonly paused?: ConsolePause;
}

export interface ConsolePause {
  readonly by: string;
  readonly note: string;
}

export interface ConsoleRun {
  readonly job: string;
  readonly scheduledTime: number;
  readonly status: string;
  readonly attempts: number;
  readonly trigger: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly nextAttemptAt?: number;
  readonly error?: string;
  readonly cause?: string;
}

export interface ConsoleAlarm {
  readonly name: string;
  readonly description: string;
  readonly severity: string;
  /** `OK`, `ALARM`, `INSUFFICIENT_DATA` */
  readonly state: string;
  readonly reason?: string;
  readonly since?: number;
}

/** What has changed since the page was told last; what is left out is as it was. */
export interface ConsoleChange {
  readonly clock?: ConsoleClock;
  readonly jobs?: readonly ConsoleJob[];
  /** Runs that are new or not what they were. */
  readonly runs?: readonly ConsoleRun[];
  readonly upcoming?: ConsoleState['upcoming'];
  readonly clockChanges?: readonly ConsoleClockChange[];
  readonly alarms?: readonly ConsoleAlarm[];
  readonly notes?: readonly ConsoleNote[];
}

/** Something that a person should know. */
export interface ConsoleNote {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  readonly at: number;
}

export interface ConsoleRunDetail {
  readonly run: ConsoleRun;
  readonly attempts: readonly ConsoleAttempt[];
  /** Saved steps by name. */
  readonly checkpoint?: unknown;
  readonly result?: unknown;
  /** The last lines that the function printed for this run. */
  readonly logs: readonly string[];
  /** The stored items behind it, as they are. */
  readonly records: readonly { readonly [attribute: string]: unknown }[];
}

export interface ConsoleAttempt {
  readonly attempt: number;
  /** What the run was after it. */
  readonly status: string;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly latenessMs: number;
  readonly fencingToken: number;
  readonly requestId: string;
  readonly error?: string;
}
