import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OccurrenceKey } from '../../../domain/contract/occurrence-key.ts';
import type { ConsoleRunDetail } from '../console-state.ts';
import { runDetail } from './connection.ts';
import { usePage } from './context.ts';
import { dayIn, duration, timeIn } from './format.ts';
import { keyOf } from './model.ts';
import { Status } from './status.tsx';

/** Everything about one occurrence, beside the page. */
export function RunPanel() {
  const { selected } = usePage();
  return selected === undefined ? null : <Panel key={keyOf(selected)} occurrence={selected} />;
}

function Panel({ occurrence }: { readonly occurrence: OccurrenceKey }) {
  const { model, order, select } = usePage();
  const { job: name, scheduledTime } = occurrence;
  const [detail, setDetail] = useState<ConsoleRunDetail | undefined>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  const opener = useRef(document.activeElement);
  const run = model.runs.get(keyOf(occurrence));
  const zone = model.jobs.find((job) => job.name === name)?.timeZone ?? 'UTC';

  useEffect(() => {
    let isCurrent = true;
    void runDetail(name, scheduledTime).then((found) => {
      if (isCurrent) setDetail(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [name, scheduledTime, run]);

  // With the panel itself, not after it is painted: a key pressed at once must find the focus here.
  useLayoutEffect(() => {
    heading.current?.focus();
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.querySelector('dialog[open]') === null) close();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  function close(): void {
    select(undefined);
    if (opener.current instanceof HTMLElement) opener.current.focus();
  }

  return (
    <aside class="panel" aria-labelledby="panel-title">
      <div class="panel-head">
        <h2 id="panel-title" ref={heading} tabIndex={-1}>
          {name}
        </h2>
        <button type="button" onClick={close} aria-label="Close">
          ✕
        </button>
      </div>
      <p class="panel-time">
        <Status status={run?.status ?? 'due'} /> {dayIn(zone, scheduledTime)}{' '}
        <strong>{timeIn(zone, scheduledTime)}</strong> {zone}
        <span class="zone">{new Date(scheduledTime).toISOString().replace('.000', '')}</span>
      </p>
      {run === undefined && (
        <p>
          It has not begun.{' '}
          <button type="button" onClick={() => order({ do: 'skip', job: name, scheduledTime })}>
            Skip it
          </button>
        </p>
      )}
      {detail !== undefined && <Detail detail={detail} zone={zone} />}
    </aside>
  );
}

function Detail({ detail, zone }: { readonly detail: ConsoleRunDetail; readonly zone: string }) {
  const { run, attempts, checkpoint, result, logs, records } = detail;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Trigger', run.trigger],
    [
      'Started',
      run.startedAt === undefined
        ? undefined
        : `${timeIn(zone, run.startedAt)}, ${duration(run.startedAt - run.scheduledTime)} late`,
    ],
    ['Ended', run.endedAt === undefined ? undefined : timeIn(zone, run.endedAt)],
    ['Next attempt', run.nextAttemptAt === undefined ? undefined : timeIn(zone, run.nextAttemptAt)],
    ['Cause', run.cause],
  ];
  return (
    <>
      <dl>
        {facts.map(([term, text]) =>
          text === undefined ? null : (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ),
        )}
      </dl>
      {run.error !== undefined && <pre class="error">{run.error}</pre>}
      {attempts.length > 0 && (
        <section>
          <h3>Attempts</h3>
          <table>
            <thead>
              <tr>
                <th scope="col">#</th>
                <th scope="col">ended</th>
                <th scope="col">took</th>
                <th scope="col">then</th>
                <th scope="col">token</th>
              </tr>
            </thead>
            <tbody>
              {attempts.map((attempt) => (
                <tr key={attempt.requestId + attempt.endedAt}>
                  <th scope="row">{attempt.attempt}</th>
                  <td>{timeIn(zone, attempt.endedAt)}</td>
                  <td class="number">{duration(attempt.durationMs)}</td>
                  <td>
                    <Status status={attempt.status} />
                    {attempt.error !== undefined && <span class="zone">{attempt.error}</span>}
                  </td>
                  <td class="number">{attempt.fencingToken}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Json title="Result" value={result} />
      <Json title="Checkpoint" value={checkpoint} />
      {logs.length > 0 && (
        <section>
          <h3>Log</h3>
          <pre>{logs.join('\n')}</pre>
        </section>
      )}
      <details>
        <summary>{records.length === 1 ? 'The record' : `${records.length} records`} behind it</summary>
        {records.map((record, index) => (
          <pre key={String(record.sk ?? index)}>{JSON.stringify(record, undefined, 2)}</pre>
        ))}
      </details>
    </>
  );
}

function Json({ title, value }: { readonly title: string; readonly value: unknown }) {
  if (value === undefined) return null;
  return (
    <section>
      <h3>{title}</h3>
      <pre>{typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}</pre>
    </section>
  );
}
