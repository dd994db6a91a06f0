/**
 * The values of one field as two 30-bit halves (0 to 29, 30 to 59): no field has more than 60 values, and whole-number
 * bit operations are what keeps the search for the next minute cheap.
 */
export interface FieldSet {
  readonly low: number;
  readonly high: number;
}

export const EMPTY_SET: FieldSet = { low: 0, high: 0 };
const HALF = 30;

export function setOf(values: Iterable<number>): FieldSet {
  let low = 0;
  let high = 0;
  for (const value of values) {
    if (value < HALF) {
      low |= 1 << value;
    } else {
      high |= 1 << (value - HALF);
    }
  }
  return { low, high };
}

export function* steps(first: number, last: number, step: number): Generator<number> {
  for (let value = first; value <= last; value += step) {
    yield value;
  }
}

export function union(one: FieldSet, other: FieldSet): FieldSet {
  return { low: one.low | other.low, high: one.high | other.high };
}

export function valuesOf({ low, high }: FieldSet): number[] {
  const values: number[] = [];
  for (let value = 0; value < HALF; value++) {
    if ((low >> value) & 1) {
      values.push(value);
    }
  }
  for (let value = 0; value < HALF; value++) {
    if ((high >> value) & 1) {
      values.push(value + HALF);
    }
  }
  return values;
}

/** Smallest member at or above `value`, or -1. */
export function nextIn(low: number, high: number, value: number): number {
  if (value < HALF) {
    const rest = low & (-1 << value);
    if (rest !== 0) {
      return 31 - Math.clz32(rest & -rest);
    }
    return high === 0 ? -1 : 61 - Math.clz32(high & -high);
  }
  if (value >= 2 * HALF) {
    return -1;
  }
  const rest = high & (-1 << (value - HALF));
  return rest === 0 ? -1 : 61 - Math.clz32(rest & -rest);
}

/** Greatest member at or below `value`, or -1. */
export function previousIn(low: number, high: number, value: number): number {
  if (value >= HALF) {
    const rest = high & ~(-2 << (value - HALF));
    if (rest !== 0) {
      return 61 - Math.clz32(rest);
    }
    return low === 0 ? -1 : 31 - Math.clz32(low);
  }
  if (value < 0) {
    return -1;
  }
  const rest = low & ~(-2 << value);
  return rest === 0 ? -1 : 31 - Math.clz32(rest);
}

/** The set as bits, with value `first` in bit 0. */
export function toBits(set: FieldSet, first: number): number {
  return (set.low >>> first) | (set.high << (30 - first));
}
