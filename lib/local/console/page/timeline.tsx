import moment from 'moment';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DataSet } from 'vis-data';
import { Timeline as Chart } from 'vis-timeline';

import { usePage } from './context.ts';
import { offsetIn } from './format.ts';
import { laneItems, laneLabel, type TimelineItem } from './timeline-items.ts';

const HOUR_MS = 3_600_000;
const MOST_LANES = 60;
const SPANS = [
  ['2 h', HOUR_MS],
  ['12 h', 6 * HOUR_MS],
  ['2 days', 24 * HOUR_MS],
] as const;

interface Drawn {
  readonly chart: Chart;
  readonly items: DataSet<TimelineItem>;
  readonly groups: DataSet<{ readonly id: string; readonly content: HTMLElement; readonly order: number }>;
}

/** One lane a job, from a day ago to a day ahead. */
export function Timeline() {
  const { model, timeZone, select } = usePage();
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | undefined>(undefined);
  const [halfSpan, setHalfSpan] = useState(24 * HOUR_MS);
  const [isFollowing, setFollowing] = useState(true);
  /** Milliseconds a pixel stands for. */
  const [scale, setScale] = useState(150_000);
  const [filter, setFilter] = useState('');
  const { clock } = model;
  const jobs = model.jobs.filter(({ name }) => name.includes(filter.trim().toLowerCase())).slice(0, MOST_LANES);

  useEffect(() => {
    if (place.current === null) return;
    const items: Drawn['items'] = new DataSet<TimelineItem>();
    const groups: Drawn['groups'] = new DataSet();
    const chart = new Chart(place.current, items, groups, {
      start: clock.now - halfSpan,
      end: clock.now + halfSpan,
      min: clock.now - 400 * 24 * HOUR_MS,
      max: clock.now + 400 * 24 * HOUR_MS,
      zoomMin: 10 * 60_000,
      zoomMax: 60 * HOUR_MS,
      stack: false,
      showCurrentTime: false,
      selectable: true,
      zoomKey: 'ctrlKey',
      horizontalScroll: true,
      verticalScroll: true,
      maxHeight: 420,
      orientation: 'top',
      margin: { axis: 6, item: { horizontal: 0, vertical: 8 } },
      groupOrder: 'order',
      groupHeightMode: 'fixed',
      tooltip: { followMouse: true, delay: 150 },
    });
    chart.addCustomTime(clock.now, 'now');
    drawn.current = { chart, items, groups };
    chart.on('rangechanged', ({ byUser }: { readonly byUser: boolean }) => {
      const { start, end } = chart.getWindow();
      setScale((end.getTime() - start.getTime()) / Math.max(300, (place.current?.clientWidth ?? 1_300) - 220));
      if (byUser) setFollowing(false);
    });
    return () => chart.destroy();
  }, []);

  useEffect(() => {
    // The axis shows the wall time of the chosen zone, whatever its offset is at that place.
    drawn.current?.chart.setOptions({
      moment: (at: moment.MomentInput) => moment(at).utcOffset(offsetIn(timeZone, moment(at).valueOf())),
    });
  }, [timeZone]);

  useEffect(() => {
    const { chart, items, groups } = drawn.current ?? {};
    if (chart === undefined || items === undefined || groups === undefined) return;
    const lanes = jobs.map((job, order) => ({ id: job.name, content: laneLabel(job, model.clockChanges), order }));
    groups.update(lanes);
    groups.remove(groups.getIds().filter((id) => !jobs.some(({ name }) => name === id)));
    const runs = Map.groupBy(model.runs.values(), ({ job }) => job);
    const wanted = jobs.flatMap((job) => laneItems(job, runs.get(job.name) ?? [], model, scale));
    const ids = new Set(wanted.map(({ id }) => id));
    items.remove(items.getIds().filter((id) => !ids.has(String(id))));
    items.update(wanted.filter((item) => items.get(item.id)?.version !== item.version));
  }, [model.runs, model.upcoming, model.jobs, model.clockChanges, scale, filter]);

  useEffect(() => {
    const { chart } = drawn.current ?? {};
    if (chart === undefined) return;
    chart.setCustomTime(clock.now, 'now');
    if (isFollowing) chart.setWindow(clock.now - halfSpan, clock.now + halfSpan, { animation: false });
  }, [clock, isFollowing, halfSpan]);

  useEffect(() => {
    const { chart, items } = drawn.current ?? {};
    if (chart === undefined || items === undefined) return;
    const onSelect = ({ items: [id] }: { readonly items: readonly string[] }) => {
      const item = id === undefined ? undefined : items.get(id);
      if (item?.first === undefined) return;
      if (item.count === 1) return select({ job: item.group, scheduledTime: item.first });
      setFollowing(false);
      const width = Math.max(item.end - item.start, 5 * 60_000);
      chart.setWindow(item.start - width / 4, item.end + width / 4);
    };
    chart.on('select', onSelect);
    return () => chart.off('select', onSelect);
  }, [select]);

  const onKey = (event: KeyboardEvent) => {
    const { chart } = drawn.current ?? {};
    const move = { ArrowLeft: -0.2, ArrowRight: 0.2 }[event.key];
    if (chart === undefined) return;
    if (move !== undefined) {
      const { start, end } = chart.getWindow();
      const by = (end.getTime() - start.getTime()) * move;
      setFollowing(false);
      chart.setWindow(start.getTime() + by, end.getTime() + by, { animation: false });
    } else if (event.key === '+') chart.zoomIn(0.3);
    else if (event.key === '-') chart.zoomOut(0.3);
    else if (event.key === 'Home') setFollowing(true);
    else return;
    event.preventDefault();
  };

  return (
    <section class="card" aria-labelledby="timeline-title">
      <div class="card-head">
        <h2 id="timeline-title">Timeline</h2>
        <Legend />
        {model.jobs.length > 8 && (
          <input
            type="search"
            placeholder="Find jobs"
            aria-label="Find jobs"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        )}
        <fieldset class="spans">
          <legend class="hidden">Time shown</legend>
          {SPANS.map(([text, half]) => (
            <button
              key={text}
              type="button"
              aria-pressed={isFollowing && half === halfSpan}
              onClick={() => {
                setHalfSpan(half);
                setFollowing(true);
              }}
            >
              {text}
            </button>
          ))}
          <button
            type="button"
            aria-pressed={isFollowing}
            title="Keep the present in the middle"
            onClick={() => setFollowing(!isFollowing)}
          >
            Follow
          </button>
        </fieldset>
      </div>
      <div
        ref={place}
        class="chart"
        role="application"
        aria-label={`Timeline of ${jobs.length} jobs. Arrow keys move it, plus and minus zoom, Home goes back to now. The list of runs below says the same in words.`}
        onKeyDown={onKey}
      />
      {model.jobs.length > MOST_LANES && filter === '' && (
        <p class="empty">
          The first {MOST_LANES} of {model.jobs.length} jobs; find the others by name.
        </p>
      )}
    </section>
  );
}

function Legend() {
  return (
    <p class="legend" aria-hidden="true">
      {['succeeded', 'running', 'pending', 'failed', 'missed', 'skipped', 'due'].map((status) => (
        <span key={status}>
          <i class={`mark ${status}`} /> {status}
        </span>
      ))}
      <span>
        <i class="mark clock-change" /> clocks change
      </span>
    </p>
  );
}
