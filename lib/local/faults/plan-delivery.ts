import type { FaultDice } from './fault-dice.ts';

/** What becomes of one firing: when it is delivered, counted from its time, and which faults did that. */
export interface Delivery {
  /** Milliseconds after the scheduled time; empty when the firing is lost. */
  readonly delays: readonly number[];
  readonly struck: readonly string[];
}

/** @param target names the firing: schedule and scheduled time */
export function planDelivery(dice: FaultDice, target: string): Delivery {
  if (dice.strikes('drop', target)) return { delays: [], struck: ['drop'] };
  const struck: string[] = [];
  const delay = (kind: string) => Math.floor(dice.fraction(kind, 'length', target) * dice.settings.delayMs);
  const delays = [0];
  if (dice.strikes('delay', target)) {
    struck.push('delay');
    delays[0] = delay('delay');
  }
  if (dice.strikes('duplicate', target)) {
    struck.push('duplicate');
    delays.push(delay('duplicate'));
  }
  return { delays, struck };
}
