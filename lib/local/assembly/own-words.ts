/** Where Node and packages are at work: not where whoever wrote the app can change something. */
const FOREIGN_FRAME = /^\s+at .*(node:|\/node_modules\/)/;
/** How the CDK sums up such frames. */
const SUMMED_UP = /^\s+\.\.\..+\.\.\.$/;
const FOREIGN_THROW = /^(node:\S+|.*\/node_modules\/.*):\d+$/;
const NODE_VERSION = /^Node\.js v\d/;

/** What an app said before it failed, without the places in Node and in packages that it passed through. */
export function ownWords(said: string): string {
  const kept: string[] = [];
  const lines = withoutDumps(said.split('\n'));
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (FOREIGN_THROW.test(line)) {
      // The line that threw and the mark under it end with an empty line.
      while (at + 1 < lines.length && lines[at + 1] !== '') at++;
    } else if (!FOREIGN_FRAME.test(line) && !SUMMED_UP.test(line) && !NODE_VERSION.test(line)) {
      kept.push(line);
    }
  }
  return kept.join('\n').trim();
}

/** Node prints the properties of an uncaught error in braces after its last frame; its message has said the same. */
function withoutDumps(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => /^\s+at .* \{$/.test(line));
  const end = lines.indexOf('}', start);
  if (start < 0 || end < 0) return lines;
  const tellsMore = lines.slice(start, end).some((line) => /^\s+\[(cause|errors)\]: /.test(line));
  if (tellsMore) return lines;
  return [...lines.slice(0, start), (lines[start] ?? '').slice(0, -2), ...withoutDumps(lines.slice(end + 1))];
}
