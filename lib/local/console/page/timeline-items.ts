import type { ConsoleClockChange, ConsoleJob, ConsoleRun } from '../console-state.ts';
import { STATUS_SIGNS, STATUS_WORDS, shift, whenIn } from './format.ts';
import { type LaneMark, planLane } from './lanes.ts';
import type { Model } from './model.ts';

/** Narrower marks could not be hit with a pointer. */
const NARROWEST_PX = 9;
const CLOSEST_PX = 11;

export interface TimelineItem {
  readonly id: string;
  readonly group: string;
  readonly type: 'range' | 'background';
  readonly start: number;
  readonly end: number;
  readonly className: string;
  readonly content: string;
  readonly title: string;
  /** Changes with anything that is drawn. */
  readonly version: string;
  /** Scheduled time of the first occurrence in it. */
  readonly first?: number;
  readonly count: number;
}

/** What is drawn in a job's lane when a pixel stands for `scale` milliseconds. */
export function laneItems(job: ConsoleJob, known: readonly ConsoleRun[], model: Model, scale: number): TimelineItem[] {
  const { now } = model.clock;
  const recorded = new Set(known.map(({ scheduledTime }) => scheduledTime));
  const due = (model.upcoming[job.name] ?? [])
    .filter((scheduledTime) => scheduledTime > now && !recorded.has(scheduledTime))
    .map((scheduledTime) => ({ scheduledTime, status: 'due' }));
  const marks = planLane([...known, ...due], CLOSEST_PX * scale).map((mark) => markItem(job, mark, scale, now));
  return [
    ...marks,
    ...model.clockChanges.filter(({ timeZone }) => timeZone === job.timeZone).map((change) => changeItem(job, change)),
  ];
}

function markItem(job: ConsoleJob, { from, to, status, count }: LaneMark, scale: number, now: number): TimelineItem {
  const half = (NARROWEST_PX / 2) * scale;
  const [start, end] = [Math.round(from - half), Math.round(to + half)];
  const word = STATUS_WORDS[status] ?? status;
  const roomPx = (end - start) / scale;
  const content = count === 1 ? '' : roomPx > 90 ? `${count.toLocaleString('en')} ${STATUS_SIGNS[status] ?? ''}` : '';
  const title =
    count === 1
      ? `${job.name}, ${whenIn(job.timeZone, from, now)} ${job.timeZone}: ${word}`
      : `${job.name}: ${count.toLocaleString('en')} ${word}, ${whenIn(job.timeZone, from, now)} to ${whenIn(job.timeZone, to, now)}`;
  return {
    id: `${job.name} ${status} ${from}`,
    group: job.name,
    type: 'range',
    start,
    end,
    className: count === 1 ? status : `${status} many`,
    content,
    title,
    version: `${to} ${count} ${start} ${content}`,
    first: from,
    count,
  };
}

function changeItem(job: ConsoleJob, change: ConsoleClockChange): TimelineItem {
  const width = Math.abs(change.shiftMinutes) * 60_000;
  const words = `${job.timeZone}: ${shift(change)}`;
  return {
    id: `${job.name} clock ${change.at}`,
    group: job.name,
    type: 'background',
    start: change.at - width,
    end: change.at + width,
    className: 'clock-change',
    content: change.shiftMinutes < 0 ? '⇠' : '⇢',
    title: words,
    version: words,
    count: 0,
  };
}

/** Name, zone and schedule, made of nodes: names are never read as markup. */
export function laneLabel(job: ConsoleJob, changes: readonly ConsoleClockChange[]): HTMLElement {
  const label = document.createElement('div');
  label.className = job.paused === undefined ? 'lane' : 'lane paused';
  const part = (name: string, text: string) => {
    const element = document.createElement('span');
    element.className = name;
    element.textContent = text;
    label.append(element);
  };
  part('lane-name', job.name);
  const change = changes.find(({ timeZone }) => timeZone === job.timeZone);
  part('lane-zone', job.paused === undefined ? `${job.schedule} · ${job.timeZone}` : `paused: ${job.paused.note}`);
  if (change !== undefined) part('lane-change', shift(change));
  return label;
}
