import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { onHostMessage, tellHost } from './host-channel.ts';
import { clockOffset, setClockOffset, virtualNow } from './virtual-date.ts';
import { afterReal, moveTimers, pendingTimers } from './virtual-timers.ts';

/** How long after an invocation began the process is looked at first: most are over before. */
const FIRST_LOOK_MS = 8;
/** After timers have fired: often the next wait begins at once. */
const LOOK_AGAIN_MS = 1;
/** While there is work, it is looked at half as often each time, but as often as this. */
const LONGEST_LOOK_MS = 16;
/** A shorter wait is over before anybody could make it shorter. */
const WORTH_IT_MS = 3;

let cancelLook = () => {};

/**
 * While an invocation is in flight, tells the runtime when the process only waits for timers, and lets them fire when the
 * clock has gone ahead. Only where the system tells what the process's threads do (Linux).
 */
export function watchRest(): void {
  // They are written to at once, and would count among what the process waits for.
  for (const stream of [process.stdout, process.stderr]) if (stream instanceof Socket) stream.unref();
  onHostMessage((message) => {
    if (message.kind !== 'wake') return;
    // What the process has seen of the clock stays true.
    moveTimers(setClockOffset(Math.max(clockOffset(), message.clockOffset)));
    lookAfter(LOOK_AGAIN_MS);
  });
}

/** An invocation begins: its clock is this much ahead of real time. */
export function beginFlight(offset: number, mayRest: boolean): void {
  moveTimers(setClockOffset(offset));
  if (mayRest && process.platform === 'linux') lookAfter(FIRST_LOOK_MS);
}

export function endFlight(): void {
  cancelLook();
}

function lookAfter(milliseconds: number): void {
  cancelLook();
  cancelLook = afterReal(milliseconds, () => {
    const first = restsFor();
    if (first === undefined) lookAfter(Math.min(2 * milliseconds, LONGEST_LOOK_MS));
    else tellHost({ kind: 'rest', until: virtualNow() + Math.floor(first) });
  });
}

/** Milliseconds until the first timer fires, if it is all that the process waits for. */
function restsFor(): number | undefined {
  const resources = process.getActiveResourcesInfo();
  if (resources.length === 0 || resources.some((resource) => resource !== 'Timeout')) return undefined;
  const { first, keepingAlive } = pendingTimers();
  // Another timer than ours is among them, or it is not worth it.
  if (keepingAlive !== resources.length || first < WORTH_IT_MS || first === Number.POSITIVE_INFINITY) return undefined;
  return threadsAtWork() ? undefined : first;
}

/** Compression, hashing and compilation run in threads, and count nowhere among what keeps the process alive. */
function threadsAtWork(): boolean {
  const main = String(process.pid);
  return readdirSync('/proc/self/task').some((thread) => {
    if (thread === main) return false;
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
      // R: it runs, or would if it could. D: it waits for the disk.
      return /^[RD]/.test(stat.slice(stat.lastIndexOf(')') + 2));
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
