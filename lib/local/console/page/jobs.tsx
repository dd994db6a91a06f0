import { useMemo, useRef, useState } from 'preact/hooks';
import type { ConsoleJob, ConsoleRun } from '../console-state.ts';
import { useNow, usePage } from './context.ts';
import { BackfillDialog, PauseDialog } from './dialogs.tsx';
import { duration, whenIn } from './format.ts';
import { isSkipped, lastRuns, nextToRun } from './model.ts';
import { Status } from './status.tsx';

const FIRST = 30;

export function Jobs() {
  const { model } = usePage();
  const [name, setName] = useState('');
  const [count, setCount] = useState(FIRST);
  const minute = Math.floor(model.clock.now / 60_000);
  const latest = useMemo(() => lastRuns(model.runs.values(), minute * 60_000), [model.runs, minute]);
  const fitting = model.jobs.filter((job) => job.name.includes(name.trim().toLowerCase()));
  return (
    <section class="card" aria-labelledby="jobs-title">
      <div class="card-head">
        <h2 id="jobs-title">Jobs</h2>
        {model.jobs.length > FIRST && (
          <input
            type="search"
            placeholder="Find jobs"
            aria-label="Find jobs"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">job</th>
            <th scope="col">schedule</th>
            <th scope="col">last run</th>
            <th scope="col">next, local</th>
            <th scope="col">
              <span class="hidden">actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {fitting.slice(0, count).map((job) => (
            <JobRow key={job.name} job={job} last={latest.get(job.name)} />
          ))}
        </tbody>
      </table>
      {fitting.length > count && (
        <button type="button" class="more" onClick={() => setCount(count + 100)}>
          Show more of {fitting.length.toLocaleString('en')}
        </button>
      )}
    </section>
  );
}

function JobRow({ job, last }: { readonly job: ConsoleJob; readonly last: ConsoleRun | undefined }) {
  const { model, order, select } = usePage();
  const now = useNow(model.clock, 1_000);
  const [asking, ask] = useState<'pause' | 'backfill' | undefined>(undefined);
  const more = useRef<HTMLDetailsElement>(null);
  const { name, next, paused, timeZone } = job;
  const toRun = nextToRun(model, job);
  /** Closes the menu, whose summary keeps the focus. */
  const pick = (action: () => void) => () => {
    if (more.current !== null) more.current.open = false;
    action();
  };
  return (
    <tr>
      <th scope="row">
        {name}
        {paused !== undefined && (
          <span class="status paused" title={`by ${paused.by}`}>
            paused: {paused.note}
          </span>
        )}
      </th>
      <td>
        <code>{job.schedule}</code> <span class="zone">{timeZone}</span>
      </td>
      <td>
        {last === undefined ? (
          '–'
        ) : (
          <button
            type="button"
            class="link"
            onClick={() => select(last)}
            aria-label={`Last run of ${name}: ${last.status}`}
          >
            <Status status={last.status} />
          </button>
        )}
      </td>
      <td>
        {next === undefined ? 'never' : whenIn(timeZone, next, now)}
        {next !== undefined &&
          (isSkipped(model, { job: name, scheduledTime: next }) ? (
            <Status status="skipped" />
          ) : (
            <span class="zone">in {duration(next - now)}</span>
          ))}
      </td>
      <td class="actions">
        <button type="button" onClick={() => order({ do: 'trigger', job: name })} aria-label={`Trigger ${name}`}>
          Trigger
        </button>
        {paused === undefined ? (
          <button type="button" onClick={() => ask('pause')} aria-label={`Pause ${name}`}>
            Pause…
          </button>
        ) : (
          <button type="button" onClick={() => order({ do: 'resume', job: name })} aria-label={`Resume ${name}`}>
            Resume
          </button>
        )}
        <details
          ref={more}
          class="menu"
          onKeyDown={(event) => {
            if (event.key === 'Escape') pick(() => {})();
          }}
        >
          <summary aria-label={`More for ${name}`}>⋯</summary>
          <div>
            <button
              type="button"
              disabled={toRun === undefined}
              onClick={pick(() => toRun !== undefined && order({ do: 'skip', job: name, scheduledTime: toRun }))}
            >
              Skip the next one
            </button>
            <button type="button" onClick={pick(() => ask('backfill'))}>
              Backfill…
            </button>
          </div>
        </details>
        {asking === 'pause' && <PauseDialog job={job} close={() => ask(undefined)} />}
        {asking === 'backfill' && <BackfillDialog job={job} close={() => ask(undefined)} />}
      </td>
    </tr>
  );
}
