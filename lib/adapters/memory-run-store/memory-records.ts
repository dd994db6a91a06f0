import { CAUSE_LIMIT, TEXT_LIMIT } from '../../domain/contract/limits.ts';
import type { Ending } from '../../domain/ports.ts';
import type { Claim, RunRecord, RunStatus } from '../../domain/run/run-record.ts';
import { shorten } from '../../domain/run/shorten.ts';

export function owns(run: RunRecord, claim: Claim): boolean {
  return run.fencingToken === claim.fencingToken && run.claimToken === claim.claimToken;
}

/** Whether a record shows that this very ending was written: its response was lost. */
export function endingHolds(run: RunRecord | undefined, claim: Claim, ending: Ending): boolean {
  return run !== undefined && owns(run, claim) && run.status === statusAfter(ending);
}

function statusAfter({ status }: Ending): RunStatus {
  return status === 'continuing' || status === 'yielded' ? 'pending' : status;
}

export function applyEnding(run: RunRecord, ending: Ending, now: number): RunRecord {
  const { leaseExpiresAt, ...rest } = run;
  const ended = { ...rest, status: statusAfter(ending), updatedAt: now };
  switch (ending.status) {
    case 'succeeded': {
      const { checkpoint, ...finished } = ended;
      return { ...finished, ...(ending.result === undefined ? {} : { result: short(ending.result) }) };
    }
    case 'failed':
    case 'timedOut': {
      const { checkpoint, ...finished } = ended;
      const cause = ending.cause === undefined ? {} : { cause: shorten(ending.cause, CAUSE_LIMIT) };
      return { ...finished, error: short(ending.error), ...cause };
    }
    case 'pending':
      return { ...ended, nextAttemptAt: ending.nextAttemptAt, error: short(ending.error) };
    case 'continuing':
      return {
        ...ended,
        nextAttemptAt: ending.nextAttemptAt,
        attempts: run.attempts - 1,
        segments: (run.segments ?? 0) + 1,
        ...withoutUndefined({ checkpoint: ending.checkpoint }),
      };
    case 'yielded':
      return { ...ended, nextAttemptAt: ending.nextAttemptAt, attempts: run.attempts - 1 };
    case 'skipped': {
      const { checkpoint, ...finished } = ended;
      return { ...finished, cause: short(ending.cause), attempts: run.attempts - 1 };
    }
  }
}

function short(text: string): string {
  return shorten(text, TEXT_LIMIT);
}

/** `exactOptionalPropertyTypes`: an absent value is an absent property. */
export function withoutUndefined<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
