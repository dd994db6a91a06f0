import type { RunRecord } from '../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { violated } from './invariants.ts';
import type { Profile } from './profile.ts';
import type { SimulatedHandlers } from './simulated-handlers.ts';

/** What the judges look at. */
export interface World {
  readonly profile: Profile;
  readonly occurrences: readonly number[];
  readonly handlers: SimulatedHandlers;
  record(scheduledTime: number): RunRecord | undefined;
}

/** Of runs that exclude each other, at most one handler at work may still end its run. */
export function judgeBodies({ profile, handlers, record }: World): void {
  if (profile.overlap === 'allow') return;
  const valid = [...handlers.bodies].filter(({ scheduledTime, fencingToken, owner }) => {
    const run = record(scheduledTime);
    return run?.status === 'running' && run.fencingToken === fencingToken && run.claimToken === `token-${owner}`;
  });
  if (valid.length > 1)
    violated('two runs of the job at once', { runs: valid.map(({ scheduledTime }) => scheduledTime) });
}

/** When all is over. */
export function judgeEnd(world: World): void {
  const { profile, occurrences, handlers, record } = world;
  for (const scheduledTime of occurrences) {
    const run = record(scheduledTime);
    const begun = handlers.begun.get(scheduledTime)?.size ?? 0;
    const effects = handlers.effectsOf(`sim@${formatInstant(scheduledTime)}`);
    const detail = { run, begun, effects };
    if (effects > 1) violated('an effect was applied twice', detail);
    if (effects === 1 && run?.status !== 'succeeded') violated('an effect of a run that did not succeed', detail);
    if (run?.status === 'skipped' && begun > 0) violated('skipped, but its handler had begun', detail);
    const gaveUp = run?.status === 'failed' && run.cause !== 'cancelled' && run.cause !== 'segments';
    const most = profile.lowersAttempts ? 1 : profile.maxAttempts;
    if (gaveUp && run.attempts < most) violated('failed before its last attempt', detail);
  }
  if (profile.overlap !== 'allow') judgeWindows(world);
}

/** The windows of the runs that succeeded cover all time up to the last of them, once. */
function judgeWindows({ handlers, record }: World): void {
  const covered = handlers.windows
    .filter(({ to, fencingToken }) => {
      const run = record(to);
      return run?.status === 'succeeded' && run.fencingToken === fencingToken;
    })
    .filter(({ from, to }) => from !== to)
    .sort((left, right) => left.to - right.to);
  for (const [index, { from }] of covered.entries()) {
    if (from !== covered[index - 1]?.to) violated('windows leave a hole or overlap', { covered });
  }
}
