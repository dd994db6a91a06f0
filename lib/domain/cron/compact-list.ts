/** How a list of values may be written. */
export interface ListStyle {
  readonly first: number;
  readonly last: number;
  /** Whether `a/n` and `a-b/n` may be used. */
  readonly steps: boolean;
  /** Whether a step over the whole field is written from the star (`*` + `/n`) or from its first value (`0/n`). */
  readonly stepFromStar: boolean;
}

const SHORTEST_RANGE = 3;
const SHORTEST_STEPS = 4;
const WORTHWHILE = 5;

/** The shortest usual spelling of a set of values, ascending: `*`, `0/15`, `9-17`, `0-58/2,59`. */
export function compactList(values: readonly number[], style: ListStyle): string {
  if (values.length === style.last - style.first + 1) {
    return '*';
  }
  const ranges = itemised(values, { ...style, steps: false });
  if (!style.steps) {
    return ranges;
  }
  const whole = wholeProgression(values, style);
  const stepped = whole ?? itemised(values, style);
  // A mixture of steps and values is hard to read: it has to be worth it.
  return stepped.length + (whole === undefined ? WORTHWHILE : 0) < ranges.length ? stepped : ranges;
}

function itemised(values: readonly number[], style: ListStyle): string {
  const members = new Set(values);
  const left = new Set(values);
  const items: string[] = [];
  for (const value of values) {
    if (!left.has(value)) {
      continue;
    }
    const { step, count } = longestFrom(value, members, left, style);
    for (let index = 0; index < count; index++) {
      left.delete(value + index * step);
    }
    items.push(written(value, step, count, style));
  }
  return items.join(',');
}

function wholeProgression(values: readonly number[], style: ListStyle): string | undefined {
  const [start, second] = values;
  if (start === undefined || second === undefined || values.length < 3) {
    return undefined;
  }
  const step = second - start;
  return step > 1 && values.every((value, index) => value === start + index * step)
    ? written(start, step, values.length, style)
    : undefined;
}

function longestFrom(
  value: number,
  members: ReadonlySet<number>,
  left: ReadonlySet<number>,
  style: ListStyle,
): { step: number; count: number } {
  let best = { step: 1, count: 1 };
  let bestGain = 0;
  const longestStep = style.steps ? Math.floor((style.last - value) / (SHORTEST_STEPS - 1)) : 1;
  for (let step = 1; step <= Math.max(1, longestStep); step++) {
    let count = 0;
    let gain = 0;
    while (members.has(value + count * step)) {
      gain += left.has(value + count * step) ? 1 : 0;
      count++;
    }
    if (count >= (step === 1 ? SHORTEST_RANGE : SHORTEST_STEPS) && gain > bestGain + (step === 1 ? 0 : 1)) {
      best = { step, count };
      bestGain = gain;
    }
  }
  return best;
}

function written(start: number, step: number, count: number, style: ListStyle): string {
  const end = start + (count - 1) * step;
  if (count === 1) {
    return `${start}`;
  }
  if (step === 1) {
    return `${start}-${end}`;
  }
  if (end + step <= style.last) {
    return `${start}-${end}/${step}`;
  }
  return start === style.first && style.stepFromStar ? `*/${step}` : `${start}/${step}`;
}
