/** `page`: wake somebody. `ticket`: this week. `warn`: worth knowing. */
export type Severity = 'page' | 'ticket' | 'warn';

/** From the mildest to the worst. */
export const SEVERITIES: readonly Severity[] = ['warn', 'ticket', 'page'];
