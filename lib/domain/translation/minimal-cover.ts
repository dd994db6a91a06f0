/** A part of a target that can be had as one piece. Cells are sets of bits, in the target's order. */
export interface Piece {
  readonly cells: Int32Array;
}

/** Pieces by number, any of which will do. */
type Demand = readonly number[];

const MOST_NODES = 2_000;

/**
 * The fewest pieces whose union is the target; each piece must lie within it. Searched exactly as far as that stays
 * cheap, then by taking the most useful piece first.
 */
export function minimalCover<P extends Piece>(target: Int32Array, pieces: readonly P[]): P[] {
  const whole = pieces.find(({ cells }) => isWithin(target, cells));
  if (whole !== undefined) {
    return [whole];
  }
  const demands = demandsOf(target, pieces);
  const greedy = greedyChoice(demands);
  const chosen = fewest(demands, greedy.length) ?? greedy;
  return chosen.map((number) => pieces[number] as P);
}

/** For each bit of the target the pieces that have it, without those demands that another one implies. */
function demandsOf(target: Int32Array, pieces: readonly Piece[]): Demand[] {
  const distinct = new Map<string, Demand>();
  for (let cell = 0; cell < target.length; cell++) {
    for (let bits = target[cell] as number; bits !== 0; bits &= bits - 1) {
      const bit = bits & -bits;
      const able = pieces.flatMap(({ cells }, number) => (((cells[cell] as number) & bit) !== 0 ? [number] : []));
      if (able.length === 0) {
        throw new RangeError('no piece has this part of the target');
      }
      distinct.set(able.join(), able);
    }
  }
  const demands: Demand[] = [];
  for (const demand of [...distinct.values()].sort((one, other) => one.length - other.length)) {
    const members = new Set(demand);
    if (!demands.some((kept) => kept.every((number) => members.has(number)))) {
      demands.push(demand);
    }
  }
  return demands;
}

/** A choice of fewer pieces than `bound` that meets all demands, as few as possible; undefined if none was found. */
function fewest(demands: readonly Demand[], bound: number): number[] | undefined {
  let nodes = 0;

  function search(left: readonly Demand[], depth: number): number[] | undefined {
    const [first, ...others] = left;
    if (first === undefined) {
      return [];
    }
    if (depth === 0 || ++nodes > MOST_NODES) {
      return undefined;
    }
    const hardest = others.reduce((least, demand) => (demand.length < least.length ? demand : least), first);
    for (const number of byUse(hardest, left)) {
      const rest = search(
        left.filter((demand) => !demand.includes(number)),
        depth - 1,
      );
      if (rest !== undefined) {
        return [number, ...rest];
      }
    }
    return undefined;
  }

  for (let depth = 1; depth < bound; depth++) {
    const found = search(demands, depth);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function greedyChoice(demands: readonly Demand[]): number[] {
  const chosen: number[] = [];
  for (let left = demands; left.length > 0; ) {
    const [best] = byUse([...new Set(left.flat())], left);
    if (best === undefined) {
      break;
    }
    chosen.push(best);
    left = left.filter((demand) => !demand.includes(best));
  }
  return chosen;
}

/** Pieces that meet most of the demands first. */
function byUse(numbers: readonly number[], demands: readonly Demand[]): number[] {
  const use = new Map(numbers.map((number) => [number, demands.filter((demand) => demand.includes(number)).length]));
  return numbers.toSorted((one, other) => (use.get(other) ?? 0) - (use.get(one) ?? 0));
}

/**
 * The pieces with what others say anyway cut off, so that nothing is said twice where that can be helped: the smallest
 * first, each against the others as they are by then. `cut` gets a piece and the cells that only it has, and returns a
 * piece with at least these; a piece that has none of its own goes.
 */
export function withoutRepeats<P extends Piece>(pieces: readonly P[], cut: (piece: P, own: Int32Array) => P): P[] {
  const left = new Map(pieces.map((piece) => [piece, piece]));
  const smallestFirst = pieces.toSorted((one, other) => size(one.cells) - size(other.cells));
  for (const piece of smallestFirst) {
    let own = piece.cells;
    for (const [key, other] of left) {
      if (key !== piece) {
        own = without(own, other.cells);
      }
    }
    if (own.some((bits) => bits !== 0)) {
      left.set(piece, cut(piece, own));
    } else {
      left.delete(piece);
    }
  }
  return [...left.values()];
}

function size(cells: Int32Array): number {
  return sizeWithin(cells, cells);
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
