import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as schedule from '../../../lib/schedule.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/schedule.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

/** Runs a block and returns, for every line with `// =>`, the line, what came out and what should. */
function run(code: string): { line: string; got: unknown; wanted: unknown }[] {
  const results: { line: string; got: unknown; wanted: unknown }[] = [];
  const body = code
    .replaceAll(/^import \{([^}]*)\} from 'cdk-belfry\/schedule';$/gm, 'const {$1} = entry;')
    .replaceAll(/^(?!const |import )(.*?);? \/\/ => (.*)$/gm, (line, expression: string, wanted: string) => {
      return `check(${JSON.stringify(line)}, (${expression}), (${wanted}));`;
    });
  const check = (line: string, got: unknown, wanted: unknown) => results.push({ line, got, wanted });
  new Function('entry', 'check', body)(schedule, check);
  return results;
}

test('there are blocks to run', () => {
  expect(BLOCKS.length).toBeGreaterThanOrEqual(6);
});

describe.each(BLOCKS.map((code, index) => ({ index: index + 1, code })))(
  'block $index of docs/schedule.md',
  ({ code }) => {
    test('comes out as it says', () => {
      const results = run(code);
      expect(results.length).toBe(code.match(/\/\/ =>/g)?.length);
      for (const { line, got, wanted } of results) {
        expect(got, line).toEqual(wanted);
      }
    });
  },
);
