import type { OverlapPolicy } from '../../lib/domain/job.ts';
import type { MemoryDynamoDbOptions } from '../support/memory-dynamodb.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** What one simulated world is like. */
export interface Profile {
  readonly overlap: OverlapPolicy;
  readonly occurrences: number;
  /** Deliveries come in order, and mostly one after the other, so that a warm process gets the next one. */
  readonly inOrder: boolean;
  readonly maxAttempts: number;
  readonly lease: 'invocation' | 'heartbeat';
  /** Faults in all: crashes, losses, late requests, throttling, duplicates, jumps of time. */
  readonly faults: number;
  /** How far the clocks of invocations may be off, milliseconds. */
  readonly skewMs: number;
  /** Items may be lost or return from a backup: then only ownership is judged. */
  readonly restores: boolean;
  readonly hideReturnedItems: boolean;
  readonly forgetsTokens: boolean;
  /** Between attempts. Half a second is waited for in place, by the same invocation. */
  readonly retryDelayMs: number;
  /** What handlers do, drawn anew at each attempt. */
  readonly handlers: readonly HandlerKind[];
  /** A deployment leaves fewer attempts than the run began with. */
  readonly lowersAttempts: boolean;
  readonly maxSegments: number;
  /** The kind of fault that comes more often than others. */
  readonly emphasis: 'late' | 'restore' | 'none';
}

export type HandlerKind = 'commit' | 'plain' | 'empty' | 'step' | 'throw' | 'hang' | 'continue';

const POLICIES: readonly OverlapPolicy[] = ['allow', 'skip', 'bufferOne', 'cancelOther'];

export function drawProfile(random: SeededRandom, fixed: Partial<Profile> = {}): Profile {
  return {
    overlap: random.pick(POLICIES),
    occurrences: 1 + random.below(4),
    inOrder: random.chance(0.4),
    maxAttempts: 1 + random.below(3),
    lease: random.chance(0.25) ? 'heartbeat' : 'invocation',
    faults: random.below(14),
    skewMs: random.pick([0, 3_000, 150_000]),
    restores: random.chance(0.08),
    hideReturnedItems: random.chance(0.5),
    forgetsTokens: random.chance(0.5),
    retryDelayMs: random.pick([500, 20_000, 150_000]),
    handlers: ['commit', 'commit', 'plain', 'empty', 'step', 'throw', 'hang', 'continue'],
    lowersAttempts: random.chance(0.1),
    maxSegments: random.pick([1, 3, 20]),
    emphasis: random.pick(['late', 'restore', 'none', 'none']),
    ...fixed,
  };
}

export interface SimulationResult {
  readonly seed: number;
  readonly profile: Profile;
  readonly trace: readonly string[];
  /** Undefined: all invariants held. */
  readonly violation?: string;
  readonly steps: number;
}

export interface SimulationOptions {
  readonly mutate?: NonNullable<MemoryDynamoDbOptions['mutate']>;
  readonly profile?: Partial<Profile>;
}
