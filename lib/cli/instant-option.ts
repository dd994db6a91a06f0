import { InvalidArgumentError } from 'commander';

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;
const AGO = /^(\d+)(m|h|d)$/;
const UNIT_MS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An instant, or how long ago: it depends on the clock of whatever is looked at. */
export type InstantOption = (now: number) => number;

/** `2026-10-31T23:00Z`, `2026-10-31` (midnight UTC), or `90m`, `24h`, `7d` ago. */
export function parseInstantOption(text: string): InstantOption {
  const [, amount, unit = ''] = AGO.exec(text) ?? [];
  if (amount !== undefined) return (now) => now - Number(amount) * (UNIT_MS[unit] ?? 0);
  const instant = ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant)) {
    throw new InvalidArgumentError(
      'Give an ISO instant with its offset, like 2026-10-31T23:00Z, or how long ago, like 24h or 7d.',
    );
  }
  return () => instant;
}
