/** (job, scheduled time) is the identity of an occurrence and of the run that carries it out. */
export interface OccurrenceKey {
  readonly job: string;
  /** Epoch milliseconds, on a whole second. */
  readonly scheduledTime: number;
}

/** The same pair always gives the same text; used where occurrences are looked up in a map. */
export function occurrenceId(key: OccurrenceKey): string {
  return `${key.job}@${key.scheduledTime}`;
}
