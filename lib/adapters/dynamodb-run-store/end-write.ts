import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { CAUSE_LIMIT, TEXT_LIMIT } from '../../domain/contract/limits.ts';
import type { Ending } from '../../domain/ports.ts';
import type { Claim, RunRecord } from '../../domain/run/run-record.ts';
import { shorten } from '../../domain/run/shorten.ts';
import { END, type Expression } from './run-expressions.ts';
import { n, s } from './run-table.ts';

export interface EndWrite {
  readonly expression: Expression;
  readonly values: Record<string, AttributeValue>;
  /** Whether a record shows that this write was applied. */
  isIn(run: RunRecord): boolean;
}

export function owns(run: RunRecord, claim: Claim): boolean {
  return run.fencingToken === claim.fencingToken && run.claimToken === claim.claimToken;
}

export function endWrite(ending: Ending, now: number): EndWrite {
  switch (ending.status) {
    case 'succeeded':
      return ending.result === undefined
        ? write(END.succeeded, 'succeeded', now, {})
        : write(END.succeededWithResult, 'succeeded', now, { ':result': short(ending.result) });
    case 'failed':
    case 'timedOut': {
      const error = { ':error': short(ending.error) };
      return ending.cause === undefined
        ? write(END.failed, ending.status, now, error)
        : write(END.failedWithCause, ending.status, now, { ...error, ':cause': s(shorten(ending.cause, CAUSE_LIMIT)) });
    }
    case 'pending':
      return write(END.pending, 'pending', now, {
        ':nextAttemptAt': n(ending.nextAttemptAt),
        ':error': short(ending.error),
      });
    case 'continuing': {
      const values = { ':nextAttemptAt': n(ending.nextAttemptAt), ':one': n(1), ':zero': n(0) };
      return ending.checkpoint === undefined
        ? write(END.continuing, 'pending', now, values)
        : write(END.continuingWithCheckpoint, 'pending', now, { ...values, ':checkpoint': s(ending.checkpoint) });
    }
    case 'yielded':
      return write(END.yielded, 'pending', now, { ':nextAttemptAt': n(ending.nextAttemptAt), ':one': n(1) });
    case 'skipped':
      return write(END.skipped, 'skipped', now, { ':cause': short(ending.cause), ':one': n(1) });
  }
}

function write(
  expression: Expression,
  status: RunRecord['status'],
  now: number,
  values: Record<string, AttributeValue>,
): EndWrite {
  return {
    expression,
    values: { ':status': s(status), ':now': n(now), ...values },
    isIn: (run) => run.status === status,
  };
}

function short(text: string): AttributeValue {
  return s(shorten(text, TEXT_LIMIT));
}
