import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ConsoleAttempt } from './console-state.ts';

/** How far back in a log is looked. */
const TAIL_BYTES = 8 * 1024 * 1024;
const MOST_LINES = 200;

interface RunLine {
  readonly event?: unknown;
  readonly job?: unknown;
  readonly scheduledTime?: unknown;
  readonly requestId?: unknown;
  readonly [key: string]: unknown;
}

export interface RunLog {
  readonly attempts: readonly ConsoleAttempt[];
  readonly lines: readonly string[];
}

/** What a function's log says of one run: each attempt that ended, and every line of their invocations but the metrics. */
export function runLog(text: string, job: string, scheduledTime: number): RunLog {
  const requestIds = new Set<string>();
  const attempts: ConsoleAttempt[] = [];
  const lines = text.split('\n');
  for (const line of lines) {
    const record = line.startsWith('{"event":') ? parse(line) : undefined;
    if (record?.job !== job || Date.parse(String(record.scheduledTime)) !== scheduledTime) continue;
    if (typeof record.requestId === 'string') requestIds.add(record.requestId);
    if (record.event === 'run') attempts.push(attemptOf(record));
  }
  const told = lines.filter((line) => !line.startsWith('{"_aws"') && [...requestIds].some((id) => line.includes(id)));
  return { attempts, lines: told.slice(-MOST_LINES) };
}

function attemptOf(record: RunLine): ConsoleAttempt {
  const error = record.error as { readonly name?: unknown; readonly message?: unknown } | undefined;
  return {
    attempt: Number(record.attempt),
    status: String(record.status),
    endedAt: Date.parse(String(record.at)),
    durationMs: Number(record.durationMs),
    latenessMs: Number(record.latenessMs),
    fencingToken: Number(record.fencingToken),
    requestId: String(record.requestId),
    ...(error === undefined ? {} : { error: `${String(error.name ?? 'Error')}: ${String(error.message ?? '')}` }),
  };
}

function parse(line: string): RunLine | undefined {
  try {
    return JSON.parse(line) as RunLine;
  } catch {
    return undefined;
  }
}

/** The end of a log; empty when there is none yet. */
export function readTail(file: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(descriptor);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
