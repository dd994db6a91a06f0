/**
 * Up to three candidates that are close to what was typed: few edits away, or with the same last part. `partOf` names
 * the part of a candidate that people remember.
 */
export function closestTo(typed: string, candidates: readonly string[], partOf: (name: string) => string): string[] {
  const wanted = typed.toLowerCase();
  const part = partOf(wanted).replaceAll(' ', '_');
  const scored: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const distance = Math.min(
      edits(wanted, lower),
      part.length >= 4 && partOf(lower) === part ? 1 : edits(part, partOf(lower)) + 1,
    );
    if (distance <= Math.max(1, Math.min(3, Math.floor(part.length / 3)))) {
      scored.push({ candidate, distance });
    }
  }
  scored.sort((one, other) => one.distance - other.distance);
  return scored.slice(0, 3).map(({ candidate }) => candidate);
}

/** Letters to insert, remove or replace to turn one text into the other. */
function edits(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 4) {
    return 5;
  }
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const replace = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
