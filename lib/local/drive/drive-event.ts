/** What a drive tells whoever shows it. Instants are ISO text. */
export type DriveEvent =
  | {
      readonly type: 'watching';
      readonly endpoint: string;
      readonly schedules: readonly DrivenSchedule[];
      readonly at: string;
    }
  | {
      readonly type: 'fired';
      readonly schedule: string;
      readonly function: string;
      readonly scheduledTime: string;
      readonly next: string | undefined;
      readonly at: string;
    }
  /** The endpoint did not take the event: it is lost, as EventBridge drops one after its last retry. */
  | {
      readonly type: 'refused';
      readonly schedule: string;
      readonly scheduledTime: string;
      readonly reason: string;
      readonly at: string;
    }
  | { readonly type: 'stopped'; readonly fired: number; readonly refused: number; readonly at: string }
  | { readonly type: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string };

export interface DrivenSchedule {
  /** `group/name` */
  readonly schedule: string;
  readonly expression: string;
  readonly timeZone: string;
  readonly next: string | undefined;
}
