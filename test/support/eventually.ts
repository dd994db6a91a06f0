import { vi } from 'vitest';

/** How long a machine that is busy with other things may take over what takes a moment. */
const PATIENCE_MS = 30_000;

/** Returns when `check` no longer throws. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });
}
