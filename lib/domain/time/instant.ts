/** An instant as text: UTC, whole seconds, `Z` (the form EventBridge Scheduler uses and run records are keyed by). */
export function formatInstant(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
