import { readdirSync, readlinkSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { MemoryWatch } from '../../../lib/local/lambda/memory-watch.ts';

const memory = new MemoryWatch();

afterEach(() => {
  memory.close();
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`);
      return file.endsWith('/statm') ? [file] : [];
    } catch {
      // The one of the listing itself.
      return [];
    }
  });
}

it.runIf(process.platform === 'linux')('tells each time what the process uses then', () => {
  memory.add(process.pid, () => {});
  const before = memory.remove(process.pid);
  const large = Buffer.alloc(64 * 1024 * 1024, 1);
  memory.add(process.pid, () => {});
  expect(memory.remove(process.pid)).toBeGreaterThan(before + large.length / 1024 / 1024 / 2);
});

it.runIf(process.platform === 'linux')(
  'keeps nothing open of a process that has ended, nor after it was closed',
  () => {
    const measure = () => {
      memory.add(process.pid, () => {});
      memory.remove(process.pid);
    };
    measure();
    expect(openFiles()).toHaveLength(1);
    memory.forget(process.pid);
    expect(openFiles()).toEqual([]);
    measure();
    memory.close();
    expect(openFiles()).toEqual([]);
  },
);
