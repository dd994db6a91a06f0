/** An instant as text: UTC, whole seconds, `Z` (the form EventBridge Scheduler uses and run records are keyed by). */
export function formatInstant(epochMs: number): string {
  if (epochMs !== last.instant) last = { instant: epochMs, text: `${new Date(epochMs).toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** A run asks for its scheduled time again and again. */
let last = { instant: Number.NaN, text: '' };
