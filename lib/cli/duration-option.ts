import { InvalidArgumentError } from 'commander';

const UNIT_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `90s`, `10m`, `1.5h`, `500ms` in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (amount === undefined || unitMs === undefined) {
    throw new InvalidArgumentError('Give a number with ms, s, m or h, like 90s.');
  }
  return Number(amount) * unitMs;
}
