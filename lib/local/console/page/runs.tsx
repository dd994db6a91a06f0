import { useMemo, useState } from 'preact/hooks';
import { usePage } from './context.ts';
import { duration, whenIn } from './format.ts';
import { keyOf, latestRuns } from './model.ts';
import { Status } from './status.tsx';

const FIRST = 25;

/** The runs as a list: what the timeline shows, for those who read. */
export function Runs() {
  const { model, select, selected } = usePage();
  const [job, setJob] = useState('');
  const [isTroubled, setTroubled] = useState(false);
  const [count, setCount] = useState(FIRST);
  const fitting = useMemo(
    () =>
      [...model.runs.values()].filter(
        (run) => (job === '' || run.job === job) && (!isTroubled || !['succeeded', 'running'].includes(run.status)),
      ),
    [model.runs, job, isTroubled],
  );
  const zones = new Map(model.jobs.map(({ name, timeZone }) => [name, timeZone]));
  return (
    <section class="card" id="runs" tabIndex={-1} aria-labelledby="runs-title">
      <div class="card-head">
        <h2 id="runs-title">Runs of the past day</h2>
        <label>
          <span class="hidden">Job</span>
          <select value={job} onChange={(event) => setJob(event.currentTarget.value)}>
            <option value="">all jobs</option>
            {model.jobs.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={isTroubled} onChange={(event) => setTroubled(event.currentTarget.checked)} />{' '}
          only trouble
        </label>
      </div>
      {fitting.length === 0 && <p class="empty">None.</p>}
      {fitting.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">job</th>
              <th scope="col">scheduled, local</th>
              <th scope="col">status</th>
              <th scope="col">took</th>
              <th scope="col">attempts</th>
              <th scope="col">why</th>
            </tr>
          </thead>
          <tbody>
            {latestRuns(fitting, count).map((run) => (
              <tr key={keyOf(run)} class={selected !== undefined && keyOf(selected) === keyOf(run) ? 'selected' : ''}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => select(run)}>
                    {run.job}
                  </button>
                </th>
                <td>{whenIn(zones.get(run.job) ?? 'UTC', run.scheduledTime, model.clock.now)}</td>
                <td>
                  <Status status={run.status} />
                </td>
                <td class="number">
                  {run.startedAt !== undefined && run.endedAt !== undefined
                    ? duration(run.endedAt - run.startedAt)
                    : ''}
                </td>
                <td class="number">{run.attempts > 0 ? run.attempts : ''}</td>
                <td class="why">{run.error ?? run.cause ?? (run.trigger === 'schedule' ? '' : run.trigger)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {fitting.length > count && (
        <button type="button" class="more" onClick={() => setCount(count + 100)}>
          Show more of {fitting.length.toLocaleString('en')}
        </button>
      )}
    </section>
  );
}
