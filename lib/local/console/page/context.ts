import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { OccurrenceKey } from '../../../domain/contract/occurrence-key.ts';
import type { ConsoleCommand } from '../console-commands.ts';
import type { ConsoleClock } from '../console-state.ts';
import type { Model } from './model.ts';

export interface Page {
  readonly model: Model;
  /** Zone in which instants are shown that belong to no job. */
  readonly timeZone: string;
  readonly selected: OccurrenceKey | undefined;
  select(occurrence: OccurrenceKey | undefined): void;
  /** Carries a command out and tells the person how it went. */
  order(asked: ConsoleCommand): Promise<boolean>;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('outside of the page');
  return page;
}

/** What the clock shows now, between two words of the runtime. */
export function useNow(clock: ConsoleClock, everyMs = 250): number {
  const [now, setNow] = useState(clock.now);
  useEffect(() => {
    const heardAt = performance.now();
    // While jobs run the runtime's clock keeps real pace, so no more than a second is guessed ahead.
    const show = () =>
      setNow(clock.now + (clock.paused ? 0 : Math.min(performance.now() - heardAt, 1_000) * clock.speed));
    show();
    const timer = setInterval(show, everyMs);
    return () => clearInterval(timer);
  }, [clock, everyMs]);
  return now;
}
