/** What one check of the environment found. */
export interface Finding {
  readonly check: string;
  /** `skipped`: there was nothing to look at, or nobody asked. */
  readonly status: 'ok' | 'wrong' | 'skipped';
  readonly found: string;
  /** What to do about it; present when something is wrong. */
  readonly fix?: string;
}

export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found };
}

export function wrong(check: string, found: string, fix: string): Finding {
  return { check, status: 'wrong', found, fix };
}

export function skipped(check: string, found: string): Finding {
  return { check, status: 'skipped', found };
}
