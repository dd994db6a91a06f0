import { VirtualClock, type VirtualClockOptions } from '../../lib/local/clock/virtual-clock.ts';
import type { LocalEvent } from '../../lib/local/local-event.ts';
import { LocalRuntime, type LocalRuntimeOptions } from '../../lib/local/local-runtime.ts';

type Particulars = Partial<Pick<LocalRuntimeOptions, 'faults' | 'suppress'>>;

/** An app's `dev`, prepared on a clock of its own, the real time by default; what it emits is collected in `events`. */
export async function prepareRuntime(
  projectFolder: string,
  { faults, suppress, ...clockOptions }: Particulars & VirtualClockOptions = {},
) {
  const clock = new VirtualClock(clockOptions);
  const events: LocalEvent[] = [];
  const emit = (event: LocalEvent) => void events.push(event);
  const runtime = await LocalRuntime.prepare({
    projectFolder,
    environment: 'dev',
    clock,
    fresh: true,
    emit,
    ...(faults === undefined ? {} : { faults }),
    ...(suppress === undefined ? {} : { suppress }),
  });
  return { clock, events, runtime };
}
