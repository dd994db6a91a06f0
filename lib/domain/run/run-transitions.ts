import { BelfryError } from '../errors.ts';
import type { RunStatus } from './run-record.ts';

/** `absent`: no record yet. */
export type RunState = RunStatus | 'absent';

/** The ways a run changes its status. Whatever is not here must not happen. */
export const RUN_TRANSITIONS = {
  claim: { from: ['absent', 'pending'], to: ['running'] },
  takeOver: { from: ['running'], to: ['running'] },
  renew: { from: ['running'], to: ['running'] },
  complete: { from: ['running'], to: ['succeeded'] },
  retry: { from: ['running'], to: ['pending'] },
  continueLater: { from: ['running'], to: ['pending'] },
  fail: { from: ['running'], to: ['failed', 'timedOut'] },
  yieldTurn: { from: ['running'], to: ['pending', 'skipped'] },
  exhaust: { from: ['running', 'pending'], to: ['failed'] },
  cancel: { from: ['running', 'pending'], to: ['failed'] },
  queue: { from: ['absent'], to: ['pending'] },
  skip: { from: ['absent', 'pending'], to: ['skipped'] },
  miss: { from: ['absent'], to: ['missed'] },
} as const satisfies Record<string, { readonly from: readonly RunState[]; readonly to: readonly RunStatus[] }>;

export type RunTransition = keyof typeof RUN_TRANSITIONS;

export function mayTransition(transition: RunTransition, from: RunState, to: RunStatus): boolean {
  const rule: { readonly from: readonly RunState[]; readonly to: readonly RunStatus[] } = RUN_TRANSITIONS[transition];
  return rule.from.includes(from) && rule.to.includes(to);
}

/** @throws BelfryError `IllegalRunTransition` */
export function assertTransition(transition: RunTransition, from: RunState, to: RunStatus): void {
  if (!mayTransition(transition, from, to)) {
    const { from: allowedFrom, to: allowedTo } = RUN_TRANSITIONS[transition];
    throw new BelfryError(
      'IllegalRunTransition',
      `a run cannot go from ${from} to ${to} by ${transition}: it goes from ${allowedFrom.join(' or ')} to ${allowedTo.join(' or ')}`,
    );
  }
}
