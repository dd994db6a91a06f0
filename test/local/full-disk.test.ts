import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import { FunctionOutput } from '../../lib/local/function-output.ts';
import type { LocalEvent } from '../../lib/local/local-event.ts';
import { LocalQueues } from '../../lib/local/queues/local-queues.ts';
import { RuntimeSchedules } from '../../lib/local/schedules/runtime-schedules.ts';
import { ScheduleDriver } from '../../lib/local/schedules/schedule-driver.ts';
import { scheduleResource } from '../../lib/local/schedules/schedule-resource.ts';
import { StateFolder } from '../../lib/local/state-folder.ts';
import { eventually } from '../support/eventually.ts';

const QUEUES = new Map([['arn:aws:sqs:us-east-1:000000000000:letters', 'letters']]);

let project: string;
let folder: StateFolder;
let notes: string[];
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'belfry-full-'));
  folder = StateFolder.open(project, 'dev', false);
  notes = [];
});
afterEach(() => {
  folder.close();
  rmSync(project, { recursive: true, force: true });
});

const emit = (event: LocalEvent) => {
  if (event.type === 'note') notes.push(`${event.level}: ${event.text}`);
};
const openQueues = () => new LocalQueues(folder, () => 0, QUEUES, emit);
const bodies = (queues: LocalQueues) => queues.receive('letters', 10, 0).map(({ body }) => body);

/** The file is on a disk without room until the returned function is called. Not to be read in between: it never ends. */
function fillDisk(...path: string[]): () => void {
  const file = folder.file(...path);
  rmSync(file, { force: true });
  symlinkSync('/dev/full', file);
  return () => rmSync(file);
}

describe.runIf(existsSync('/dev/full'))('a disk that gets full while a run goes on', () => {
  it('keeps the messages of a queue, says so once, and writes them when there is room', async () => {
    const queues = openQueues();
    const makeRoom = fillDisk('queues', 'letters.jsonl');
    for (const body of ['one', 'two']) queues.send('letters', body);
    expect(bodies(queues)).toEqual(['one', 'two']);
    expect(notes).toEqual([expect.stringMatching(/^error: queue 'letters' cannot be written: the disk is full/)]);
    makeRoom();
    await eventually(() => expect(notes[1]).toBe("info: queue 'letters' can be written again"));
    expect(bodies(openQueues())).toEqual(['one', 'two']);
  });

  it('keeps the schedules that were written before, and writes the new ones when there is room', async () => {
    const driver = new ScheduleDriver({ clock: new VirtualClock(), fire: () => {} });
    const schedules = new RuntimeSchedules(folder, driver, [], emit);
    const make = (name: string) => {
      driver.set(scheduleResource(name, 'default', { ScheduleExpression: 'at(2099-01-01T00:00:00)' }));
      schedules.save();
    };
    const stored = () => (folder.readJson('schedules.json') as { name: string }[]).map(({ name }) => name);
    make('first');
    const makeRoom = fillDisk('.schedules.json.next');
    make('second');
    expect(stored()).toEqual(['first']);
    expect(notes).toEqual([expect.stringContaining('the disk is full: free some space')]);
    makeRoom();
    await eventually(() => expect(stored()).toEqual(['first', 'second']));
  });

  it('says once that a log cannot be written, and goes on with it when there is room', async () => {
    const makeRoom = fillDisk('logs', 'job.log');
    const output = new FunctionOutput({ file: folder.file('logs', 'job.log'), emit, addMetric: () => {} });
    output.line('lost');
    await eventually(() => expect(notes).toHaveLength(1));
    output.line('lost as well');
    await output.close();
    makeRoom();
    output.line('kept');
    await eventually(() => expect(readFileSync(folder.file('logs', 'job.log'), 'utf8')).toBe('kept\n'));
    await output.close();
    expect(notes).toEqual([expect.stringMatching(/^error: the log .*job\.log cannot be written: ENOSPC/)]);
  });

  it('refuses to replace a file that it cannot write, and leaves it as it was', () => {
    folder.writeJson('runtime.json', { pid: 1 });
    const makeRoom = fillDisk('.runtime.json.next');
    expect(() => folder.writeJson('runtime.json', { pid: 2 })).toThrow(
      expect.objectContaining({ code: 'FolderNotWritable', message: expect.stringContaining('the disk is full') }),
    );
    expect(folder.readJson('runtime.json')).toEqual({ pid: 1 });
    makeRoom();
  });
});

it('reads a queue whose last line was cut off when a run was killed, and adds to it', () => {
  const file = folder.file('queues', 'letters.jsonl');
  openQueues().send('letters', 'whole');
  appendFileSync(file, '{"messageId":"cut o');
  openQueues().send('letters', 'after');
  expect(bodies(openQueues())).toEqual(['whole', 'after']);
});

it('takes over a folder in which nothing but an empty lock was left by a full disk', () => {
  folder.close();
  writeFileSync(join(project, '.belfry', 'dev.lock'), '');
  folder = StateFolder.open(project, 'dev', false);
  expect(readFileSync(join(project, '.belfry', 'dev.lock'), 'utf8')).toContain(String(process.pid));
});
