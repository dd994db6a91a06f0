import { ABSENT, type Expression, expression } from './run-expressions.ts';

/** A pause whose end has come is none, even if nobody has taken it away yet. */
export const OPERATOR_PAUSE = expression(
  'attribute_not_exists(#paused) OR #pausedUntil <= :now',
  'SET #paused = :paused, #pausedBy = :by, #pauseNote = :note, #pausedAt = :now, #updatedAt = :now REMOVE #pausedUntil',
);

export function resumeWith(note: boolean): Expression {
  const sets = `SET #resumedBy = :by, #resumedAt = :now, #updatedAt = :now${note ? ', #resumeNote = :note' : ''}`;
  const removes = `REMOVE #paused, #pausedBy, #pauseNote, #pausedAt, #pausedUntil${note ? '' : ', #resumeNote'}`;
  return expression('#paused = :paused', `${sets} ${removes}`);
}

export function operatorSkipWith(note: boolean): Expression {
  return expression(
    `${ABSENT} OR (#status = :pending AND #fencingToken = :zero)`,
    'SET #status = :status, #updatedAt = :now, #cause = :cause, #trigger = if_not_exists(#trigger, :trigger), ' +
      '#fencingToken = if_not_exists(#fencingToken, :zero), #attempts = if_not_exists(#attempts, :zero), ' +
      `#expiresAt = :expiresAt, #requestedBy = :by, #requestedAt = :now${note ? ', #requestNote = :note' : ''}`,
  );
}

/** Only what was requested at that instant and never claimed. */
export const WITHDRAW = expression('#status = :pending AND #fencingToken = :zero AND #requestedAt = :now');
