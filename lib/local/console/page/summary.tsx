import { useMemo } from 'preact/hooks';
import { useNow, usePage } from './context.ts';
import { duration, whenIn } from './format.ts';
import { countRuns, nextToRun } from './model.ts';

export function Summary() {
  const { model } = usePage();
  const now = useNow(model.clock, 1_000);
  const counts = useMemo(() => countRuns(model.runs.values()), [model.runs]);
  const ringing = model.alarms.filter(({ state }) => state === 'ALARM');
  const [next] = model.jobs
    .map((job) => ({ ...job, at: nextToRun(model, job) }))
    .flatMap(({ name, at, timeZone }) => (at === undefined ? [] : [{ name, at, timeZone }]))
    .sort((a, b) => a.at - b.at);
  const active = counts.running + counts.pending;
  return (
    <section class="tiles" aria-label="Summary">
      <Tile kind="succeeded" figure={counts.succeeded} text="succeeded in a day" />
      <Tile kind={counts.failed > 0 ? 'failed' : 'quiet'} figure={counts.failed} text="failed or timed out" />
      <Tile
        kind={counts.missed > 0 ? 'missed' : 'quiet'}
        figure={counts.missed}
        text={`missed, ${counts.skipped} skipped`}
      />
      <Tile kind={active > 0 ? 'running' : 'quiet'} figure={active} text="running or pending" />
      <Tile
        kind={ringing.length > 0 ? 'failed' : 'quiet'}
        figure={ringing.length}
        text={ringing.length === 1 ? 'alarm rings' : 'alarms ring'}
      />
      <div class="tile next">
        <strong>{next === undefined ? 'Nothing' : next.name}</strong>
        <span>
          {next === undefined
            ? 'is due any more'
            : `due ${whenIn(next.timeZone, next.at, now)} ${next.timeZone}, in ${duration(next.at - now)}`}
        </span>
      </div>
    </section>
  );
}

function Tile({ kind, figure, text }: { readonly kind: string; readonly figure: number; readonly text: string }) {
  return (
    <div class={`tile ${kind}`}>
      <strong>{figure.toLocaleString('en')}</strong>
      <span>{text}</span>
    </div>
  );
}
