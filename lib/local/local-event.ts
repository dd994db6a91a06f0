import type { Severity } from '../domain/contract/severity.ts';

export interface JobLine {
  readonly name: string;
  readonly schedule: string | readonly string[];
  readonly timeZone: string;
  /** ISO instant; undefined when the job never fires again. */
  readonly next: string | undefined;
}

/** What the local runtime tells whoever shows it. Instants are ISO text on the runtime's clock. */
export type LocalEvent =
  | { readonly type: 'ready'; readonly at: string; readonly jobs: readonly JobLine[]; readonly endpoint: string }
  /** The app changed; what it is now. */
  | {
      readonly type: 'reloaded';
      readonly at: string;
      readonly jobs: readonly JobLine[];
      readonly summary: readonly string[];
    }
  | {
      readonly type: 'fired';
      readonly job: string;
      readonly scheduledTime: string;
      readonly at: string;
      readonly next: string | undefined;
    }
  | {
      readonly type: 'run';
      readonly job: string;
      readonly scheduledTime: string;
      readonly status: string;
      readonly attempt: number;
      readonly trigger: string;
      readonly durationMs: number;
      readonly at: string;
      readonly error?: string;
    }
  | {
      readonly type: 'missed';
      readonly job: string;
      readonly scheduledTime: string;
      readonly cause: string;
      readonly at: string;
    }
  | {
      readonly type: 'alarm';
      readonly name: string;
      readonly state: string;
      readonly severity: Severity;
      readonly reason: string;
      readonly at: string;
    }
  /** Something was put on an event bus. */
  | {
      readonly type: 'event';
      readonly bus: string;
      readonly source: string;
      readonly detailType: string;
      readonly detail: unknown;
      readonly at: string;
    }
  | {
      readonly type: 'stopped';
      readonly fired: number;
      readonly runs: number;
      readonly missed: number;
      readonly at: string;
    }
  /** Something that a person should know, and no program counts on. */
  | { readonly type: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };
