import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import type { LocalEvent } from '../../lib/local/local-event.ts';
import { LocalRuntime, type LocalRuntimeOptions } from '../../lib/local/local-runtime.ts';

type Particulars = Partial<Pick<LocalRuntimeOptions, 'faults' | 'suppress'>>;

/** The sample app's `dev`, prepared on a virtual clock of its own; what it emits is collected in `events`. */
export async function prepareSampleRuntime(
  projectFolder: string,
  { from, speed, ...particulars }: Particulars & { readonly from: number; readonly speed: number },
) {
  const clock = new VirtualClock({ from, speed });
  const events: LocalEvent[] = [];
  const emit = (event: LocalEvent) => void events.push(event);
  const runtime = await LocalRuntime.prepare({
    projectFolder,
    environment: 'dev',
    clock,
    fresh: true,
    emit,
    ...particulars,
  });
  return { clock, events, runtime };
}
