/** Something that is allowed and may not be what was meant. The code is public and stable, the message is not. */
export interface ScheduleWarning {
  readonly code: string;
  readonly message: string;
}
