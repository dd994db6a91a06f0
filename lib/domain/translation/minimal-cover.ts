/** A part of a target that can be had as one piece. Cells are sets of bits, in the target's order. */
export interface Piece {
  readonly cells: Int32Array;
}

const MOST_STEPS = 20_000;

/**
 * The fewest pieces whose union is the target; each piece must lie within it. Searched exactly as far as that stays
 * cheap, then by taking the largest piece first.
 */
export function minimalCover<P extends Piece>(target: Int32Array, pieces: readonly P[]): P[] {
  const greedy = greedyCover(target, pieces);
  let steps = 0;

  function search(left: Int32Array, depth: number): P[] | undefined {
    const choice = hardestBit(left, pieces);
    if (choice === undefined) {
      return [];
    }
    if (depth === 0) {
      return undefined;
    }
    for (const piece of choice) {
      if (++steps > MOST_STEPS) {
        return undefined;
      }
      const rest = search(without(left, piece.cells), depth - 1);
      if (rest !== undefined) {
        return [piece, ...rest];
      }
    }
    return undefined;
  }

  for (let depth = 1; depth < greedy.length; depth++) {
    const found = search(target, depth);
    if (found !== undefined) {
      return found;
    }
  }
  return greedy;
}

/** The pieces that could cover the bit that fewest of them cover, largest first; undefined when nothing is left. */
function hardestBit<P extends Piece>(left: Int32Array, pieces: readonly P[]): P[] | undefined {
  let hardest: P[] | undefined;
  for (let cell = 0; cell < left.length; cell++) {
    let bits = left[cell] as number;
    while (bits !== 0) {
      const bit = bits & -bits;
      bits ^= bit;
      const able = pieces.filter(({ cells }) => ((cells[cell] as number) & bit) !== 0);
      if (hardest === undefined || able.length < hardest.length) {
        hardest = able;
      }
      if (hardest.length === 1) {
        return hardest;
      }
    }
  }
  return hardest?.sort((one, other) => sizeWithin(other.cells, left) - sizeWithin(one.cells, left));
}

function greedyCover<P extends Piece>(target: Int32Array, pieces: readonly P[]): P[] {
  const chosen: P[] = [];
  let left = target;
  while (left.some((bits) => bits !== 0)) {
    let best: P | undefined;
    let bestSize = 0;
    for (const piece of pieces) {
      const size = sizeWithin(piece.cells, left);
      if (size > bestSize) {
        best = piece;
        bestSize = size;
      }
    }
    if (best === undefined) {
      throw new RangeError('no piece covers what is left of the target');
    }
    chosen.push(best);
    left = without(left, best.cells);
  }
  return chosen;
}

export function without(target: Int32Array, cells: Int32Array): Int32Array {
  return target.map((bits, index) => bits & ~(cells[index] as number));
}

export function isWithin(cells: Int32Array, target: Int32Array): boolean {
  return cells.every((bits, index) => (bits & ~(target[index] as number)) === 0);
}

function sizeWithin(cells: Int32Array, target: Int32Array): number {
  let size = 0;
  for (let index = 0; index < cells.length; index++) {
    let bits = (cells[index] as number) & (target[index] as number);
    while (bits !== 0) {
      bits &= bits - 1;
      size++;
    }
  }
  return size;
}

/** All intersections of the sets, themselves included; none empty. Given up beyond `most`. */
export function intersections(sets: readonly number[], most = 200): number[] {
  const closed = new Set(sets.filter((set) => set !== 0));
  for (const one of closed) {
    for (const other of sets) {
      const both = one & other;
      if (both !== 0 && closed.size < most) {
        closed.add(both);
      }
    }
  }
  return [...closed];
}
