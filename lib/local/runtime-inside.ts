import type { AlarmResource, AlarmState, FunctionResource } from './assembly/resources.ts';
import type { VirtualClock } from './clock/virtual-clock.ts';

/** The parts of a local runtime that others may look at and act on. */
export interface RuntimeInside {
  readonly environment: string;
  readonly clock: VirtualClock;
  readonly dynamoDbUrl: string;
  readonly functions: readonly FunctionResource[];
  /** Alive: always as it is now. */
  readonly alarms: ReadonlyMap<AlarmResource, AlarmState>;
  /** When a schedule of the job fires next. */
  nextFiring(job: string): number | undefined;
  /** Invokes the job's function asynchronously. */
  deliver(job: string, event: object): void;
  logFile(functionName: string): string;
}
