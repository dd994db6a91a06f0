import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StateFolder } from '../../lib/local/state-folder.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'belfry-state-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const lockFile = () => join(project, '.belfry', 'dev.lock');

it('lets one process hold the folder, and names it to the next', () => {
  const first = StateFolder.open(project, 'dev', false);
  expect(() => StateFolder.open(project, 'staging', false)).toThrow(`process ${process.pid} already runs on`);
  first.close();
  expect(existsSync(lockFile())).toBe(false);
  StateFolder.open(project, 'dev', false).close();
});

it('takes over from a process that is gone', () => {
  StateFolder.open(project, 'dev', false).close();
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(lockFile(), JSON.stringify({ pid }));
  const folder = StateFolder.open(project, 'dev', false);
  expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toMatchObject({ pid: process.pid });
  folder.close();
});

it.runIf(process.platform === 'linux')('takes over when the number belongs to another process now', () => {
  StateFolder.open(project, 'dev', false).close();
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    writeFileSync(lockFile(), JSON.stringify({ pid: other.pid, startedAt: '1' }));
    StateFolder.open(project, 'dev', false).close();
  } finally {
    other.kill('SIGKILL');
  }
});

it('takes over a lock that is damaged', () => {
  StateFolder.open(project, 'dev', false).close();
  writeFileSync(lockFile(), '');
  StateFolder.open(project, 'dev', false).close();
});

it('keeps an environment data, and deletes it when a fresh start is wanted', () => {
  const first = StateFolder.open(project, 'dev', false);
  first.writeJson('schedules.json', [1]);
  first.close();
  const second = StateFolder.open(project, 'dev', false);
  expect(second.readJson('schedules.json')).toEqual([1]);
  second.close();
  const third = StateFolder.open(project, 'dev', true);
  expect(third.readJson('schedules.json')).toBeUndefined();
  third.close();
});

it.skipIf(process.getuid?.() === 0)('says what to do about a folder that cannot be written', () => {
  chmodSync(project, 0o500);
  try {
    expect(() => StateFolder.open(project, 'dev', false)).toThrow(
      /cannot be written \(EACCES\): run in a folder of yours/,
    );
  } finally {
    chmodSync(project, 0o700);
  }
});
