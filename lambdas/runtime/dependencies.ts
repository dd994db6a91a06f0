import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { JobDefinition } from '../../lib/domain/job.ts';
import type { Clock, RunStore, Timers, WakeUps } from '../../lib/domain/ports.ts';
import type { LeaseTimes } from '../../lib/domain/run/lease.ts';
import type { TurnMemory } from './turn-memory.ts';

/** Everything that a run needs from outside. On Lambda it comes from the environment; tests pass their own. */
export interface RuntimeDependencies {
  readonly job: JobDefinition;
  readonly environment: string;
  /** The prefix of the job's scheduler: the dimension of its metrics. */
  readonly scheduler: string;
  readonly store: RunStore<TransactWriteItem>;
  readonly clock: Clock & Timers;
  /** A text that no other call returns, in any process. */
  newClaimToken(): string;
  /** Takes one line of output, without its line break. */
  print(line: string): void;
  /** Kept from run to run of one process. Without it, each run reads whose turn it is. */
  readonly turns?: TurnMemory;
  /** Without it, whatever waits is delivered again by the watchdog alone. */
  readonly wakeUps?: WakeUps;
  readonly leaseTimes?: LeaseTimes;
  /**
   * Whether the job's current schedule has this occurrence (epoch milliseconds). Asked only for events of another
   * revision; without it such an event is carried out unless it is more than an hour late.
   */
  isDue?(scheduledTime: number): boolean;
}

/** What is used of Lambda's context object. */
export interface InvocationContext {
  readonly awsRequestId: string;
  readonly invokedFunctionArn: string;
  /** Real milliseconds until Lambda ends this invocation. */
  getRemainingTimeInMillis(): number;
}
