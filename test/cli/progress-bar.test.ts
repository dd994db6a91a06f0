import { expect, test } from 'vitest';
import { ProgressBar } from '../../lib/cli/print/progress-bar.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  return {
    written,
    isTTY,
    write(text: string) {
      written.push(text);
      return true;
    },
  };
}

test('a terminal is shown how far it is, on one line that goes away', () => {
  const terminal = stream(true);
  let now = 0;
  const bar = new ProgressBar(terminal, 'verify', () => now);
  bar.show(0.5, '500,000 rows');
  now = 99;
  bar.show(0.51, 'at once: left out');
  now = 100;
  bar.show(0.52, '520,000 rows');
  bar.clear();
  bar.clear();
  expect(terminal.written).toEqual([
    `\rverify ${'█'.repeat(15)}${'░'.repeat(15)}  50 % 500,000 rows\u001b[K`,
    `\rverify ${'█'.repeat(16)}${'░'.repeat(14)}  52 % 520,000 rows\u001b[K`,
    '\r\u001b[K',
  ]);
});

test('a share beyond all is all', () => {
  const terminal = stream(true);
  new ProgressBar(terminal, 'verify').show(1.7);
  expect(terminal.written[0]).toContain('100 %');
});

test('a pipe gets nothing', () => {
  const pipe = stream(false);
  const bar = new ProgressBar(pipe, 'verify');
  bar.show(0.5);
  bar.clear();
  expect(pipe.written).toEqual([]);
});
