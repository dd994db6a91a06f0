import { render } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { OccurrenceKey } from '../../../domain/contract/occurrence-key.ts';
import type { ConsoleCommand } from '../console-commands.ts';
import { Activity } from './activity.tsx';
import { Alarms } from './alarms.tsx';
import { useAnnouncements } from './announcements.tsx';
import { command, connect } from './connection.ts';
import { PageContext } from './context.ts';
import { Header } from './header.tsx';
import { Jobs } from './jobs.tsx';
import { changed, type Model, modelOf } from './model.ts';
import { RunPanel } from './run-panel.tsx';
import { Runs } from './runs.tsx';
import { Summary } from './summary.tsx';
import { Timeline } from './timeline.tsx';
import { useToasts } from './toasts.tsx';
import 'vis-timeline/styles/vis-timeline-graph2d.min.css';
import './page.css';

function Console() {
  const [model, setModel] = useState<Model | undefined>(undefined);
  const [isConnected, setConnected] = useState(false);
  const [timeZone, setTimeZone] = useState('UTC');
  const [selected, select] = useState<OccurrenceKey | undefined>(undefined);
  const { toasts, tell } = useToasts();
  const { announcements, announce } = useAnnouncements();

  useEffect(() => {
    connect({
      state: (state) => setModel(modelOf(state)),
      change: (change) => {
        announce(change);
        setModel((before) => (before === undefined ? before : changed(before, change)));
      },
      connected: setConnected,
    });
  }, []);

  const order = useCallback(
    async (asked: ConsoleCommand) => {
      try {
        tell('done', await command(asked));
        return true;
      } catch (error) {
        tell('refused', error instanceof Error ? error.message : String(error));
        return false;
      }
    },
    [tell],
  );
  const page = useMemo(
    () => (model === undefined ? undefined : { model, timeZone, selected, select, order }),
    [model, timeZone, selected, order],
  );
  if (page === undefined) {
    return (
      <p class="waiting" role="status">
        Looking for the runtime…
      </p>
    );
  }
  return (
    <PageContext.Provider value={page}>
      <a class="skip-link" href="#runs">
        Skip to the list of runs
      </a>
      <Header isConnected={isConnected} setTimeZone={setTimeZone} />
      <main>
        <Summary />
        <Timeline />
        <div class="columns">
          <div>
            <Jobs />
            <Runs />
          </div>
          <div>
            <Alarms />
            <Activity />
          </div>
        </div>
      </main>
      <RunPanel />
      {toasts}
      {announcements}
    </PageContext.Provider>
  );
}

const place = document.getElementById('console');
if (place !== null) render(<Console />, place);
