import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', '..', 'lib', 'constructs');

interface Prop {
  readonly owner: string;
  readonly name: string;
  readonly isOptional: boolean;
  readonly comment: string;
}

/** What users write when they declare: members of interfaces named …Props, …Options, …Placement, WhenDue, FormerName. */
function declaredProps(): Prop[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const interfaces = text.matchAll(
      /^export interface ((?!Resolved|JobFunction|JobRole|FleetPart)\w*(?:Props|Options|Placement|WhenDue|FormerName))\b[^{]*\{\n([\s\S]*?)^\}/gm,
    );
    return [...interfaces].flatMap(([, owner = '', body = '']) =>
      [...body.matchAll(/((?: {2}\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?) {2}readonly (\w+)(\??):/g)].map(
        ([, comment = '', name = '', mark]) => ({ owner, name, isOptional: mark === '?', comment }),
      ),
    );
  });
}

test('each property of a declaration is explained, and says what happens without it', () => {
  const props = declaredProps();
  expect(props.length).toBeGreaterThan(60);
  const silent = props.filter(({ comment }) => !/\/\*\*\s*(\*\s*)?[^@\s*]/.test(comment));
  expect(silent.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
  const openEnded = props.filter(({ isOptional, comment }) => isOptional && !comment.includes('@default'));
  expect(openEnded.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
});
