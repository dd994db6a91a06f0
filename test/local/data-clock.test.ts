import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { otherTime, rememberClock } from '../../lib/local/data-clock.ts';
import { StateFolder } from '../../lib/local/state-folder.ts';

const at = (text: string) => Date.parse(`${text}Z`);
let project: string;
let folder: StateFolder;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'belfry-clock-'));
  folder = StateFolder.open(project, 'dev', false);
});

afterEach(() => {
  folder.close();
  rmSync(project, { recursive: true, force: true });
});

test('nothing is said of new data, nor of data that ends about now', () => {
  expect(otherTime(folder, at('2026-11-30T05:00'))).toEqual([]);
  rememberClock(folder, at('2026-11-29T05:00'));
  expect(otherTime(folder, at('2026-11-30T05:00'))).toEqual([]);
});

test('real time after a virtual month long ago: what the watchdog will make of it', () => {
  rememberClock(folder, at('2026-10-30T05:00'));
  expect(otherTime(folder, at('2026-11-30T05:00'))).toEqual([
    'the clock starts at 2026-11-30T05:00:00Z, and the data here ends 31 days before: the watchdog goes through what was due since, and records what did not run as missed; --fresh forgets the data',
  ]);
});

test('a clock that starts before the end of the data', () => {
  rememberClock(folder, at('2026-11-30T05:00'));
  expect(otherTime(folder, at('2026-10-30T00:00'))).toEqual([
    'the clock starts at 2026-10-30T00:00:00Z, and the data here goes up to 2026-11-30T05:00:00Z: what ran already does not run again until then; --fresh forgets the data',
  ]);
});

test('a file that is not ours, or cannot be written, is no trouble', () => {
  writeFileSync(folder.file('clock.json'), 'torn');
  expect(otherTime(folder, at('2026-11-30T05:00'))).toEqual([]);
  rmSync(folder.path, { recursive: true });
  expect(() => rememberClock(folder, 1)).not.toThrow();
});
