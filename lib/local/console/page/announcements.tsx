import type { VNode } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import type { ConsoleChange } from '../console-state.ts';
import { STATUS_WORDS } from './format.ts';

const TROUBLE = new Set(['failed', 'timedOut', 'missed']);
const SHOWN = 5;

/** Trouble, for those who hear the page: successes would drown it. */
export function useAnnouncements(): { readonly announcements: VNode; announce(change: ConsoleChange): void } {
  const [lines, setLines] = useState<readonly string[]>([]);
  const ringing = useRef<ReadonlySet<string> | undefined>(undefined);
  const announce = useCallback(({ runs = [], alarms }: ConsoleChange) => {
    const told = runs
      .filter(({ status }) => TROUBLE.has(status))
      .map(({ job, status, error, cause }) =>
        [`${job} ${STATUS_WORDS[status]}`, error ?? cause].filter(Boolean).join(': '),
      );
    if (alarms !== undefined) {
      const now = new Set(alarms.filter(({ state }) => state === 'ALARM').map(({ name }) => name));
      for (const name of now) if (ringing.current?.has(name) === false) told.push(`alarm ${name} rings`);
      ringing.current = now;
    }
    if (told.length > 0) setLines((before) => [...before, ...told].slice(-SHOWN));
  }, []);
  const announcements = (
    <div class="hidden" role="log" aria-label="Trouble">
      {lines.map((line, index) => (
        <p key={`${index} ${line}`}>{line}</p>
      ))}
    </div>
  );
  return { announcements, announce };
}
