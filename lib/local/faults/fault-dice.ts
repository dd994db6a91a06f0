import { createHash } from 'node:crypto';
import type { FaultKind, FaultSettings } from './fault-settings.ts';

/**
 * Decides whether a fault strikes. The seed, the kind and the name of what may be struck decide, not the order in which
 * it is asked: a run with the same seed over the same time is struck at the same places.
 */
export class FaultDice {
  readonly settings: FaultSettings;

  constructor(settings: FaultSettings) {
    this.settings = settings;
  }

  strikes(kind: FaultKind, target: string): boolean {
    const chance = this.settings.chances[kind] ?? 0;
    return chance > 0 && this.fraction(kind, target) < chance;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  fraction(...parts: readonly string[]): number {
    const digest = createHash('sha256')
      .update(JSON.stringify([this.settings.seed, ...parts]))
      .digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  }
}
