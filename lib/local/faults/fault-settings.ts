import { BelfryError } from '../../domain/errors.ts';

export const FAULT_KINDS = ['duplicate', 'drop', 'delay', 'kill', 'throttle', 'lost-response', 'skew'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** What goes wrong, and how often. */
export interface FaultSettings {
  /** Decides together with what is struck: the same seed strikes the same firings. */
  readonly seed: number;
  /** Share of what could be struck, 0 to 1. `skew` strikes every process. */
  readonly chances: { readonly [Kind in FaultKind]?: number };
  /** How late a delayed or doubled firing comes at most. */
  readonly delayMs: number;
  /** How far a process's clock may be off, either way. */
  readonly skewMs: number;
}

const DEFAULT_DELAY_MS = 60_000;
const UNITS_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000 };

/**
 * Reads `duplicate=5%,drop=0.01,delay=10%:90s,skew=3s`.
 * @throws BelfryError `UnknownFault`, `MalformedFault`
 */
export function parseFaults(text: string, seed: number): FaultSettings {
  const chances: { [Kind in FaultKind]?: number } = {};
  let delayMs = DEFAULT_DELAY_MS;
  let skewMs = 0;
  for (const part of text.split(',').filter((entry) => entry.trim() !== '')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    const kind = FAULT_KINDS.find((known) => known === name);
    if (kind === undefined) {
      throw new BelfryError('UnknownFault', `there is no fault '${name}': choose among ${FAULT_KINDS.join(', ')}`);
    }
    if (kind === 'skew') {
      skewMs = parseTime(part, value);
      chances.skew = 1;
      continue;
    }
    const [chance = '', length] = value.split(':', 2);
    chances[kind] = parseChance(part, chance);
    if (length !== undefined && kind === 'delay') delayMs = parseTime(part, length);
    else if (length !== undefined) throw malformed(part);
  }
  return { seed, chances, delayMs, skewMs };
}

function parseChance(part: string, text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text) ?? [];
  const chance = number === undefined ? Number.NaN : Number(number) / (percent === '%' ? 100 : 1);
  if (!(chance >= 0 && chance <= 1)) throw malformed(part);
  return chance;
}

function parseTime(part: string, text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit ?? ''];
  if (number === undefined || unitMs === undefined) throw malformed(part);
  return Number(number) * unitMs;
}

function malformed(part: string): BelfryError {
  return new BelfryError(
    'MalformedFault',
    `the fault '${part.trim()}' cannot be read: give a share like drop=5% or drop=0.05, delay=5%:90s with the longest delay, skew=3s`,
  );
}
