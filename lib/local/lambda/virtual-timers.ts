import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { promisify } from 'node:util';
import { installTimerPromises } from './timer-promises.ts';

/**
 * Timers stay Node's own, so that ref, unref, refresh, clearing by number, errors and order are what they always are. They
 * are only known here, and what is left of them is cut when virtual time goes ahead.
 */
const { setTimeout: nativeSetTimeout, setInterval: nativeSetInterval, clearTimeout: nativeClear } = timers;

/** What Node keeps in a timer, milliseconds of the event loop's clock. */
interface TimerInside {
  _idleStart: number;
  _idleTimeout: number;
  _onTimeout: (...args: unknown[]) => unknown;
  readonly _destroyed: boolean;
}

type Timer = NodeJS.Timeout & TimerInside;

/** What a timer was before it was cut. */
interface Uncut {
  readonly delay: number;
  readonly onTimeout: TimerInside['_onTimeout'];
}

const PRUNE_ABOVE = 256;

const known = new WeakSet<Timer>();
const live = new Set<Timer>();
const cut = new WeakMap<Timer, Uncut>();
let pruneAbove = PRUNE_ABOVE;
let nativeRefresh: () => NodeJS.Timeout;

/** What the process waits for by timers. */
export interface PendingTimers {
  /** Milliseconds until the first of them, `Infinity` without any. */
  readonly first: number;
  /** How many of them keep the process alive. */
  readonly keepingAlive: number;
}

export function pendingTimers(): PendingTimers {
  const now = loopNow();
  let first = Number.POSITIVE_INFINITY;
  let keepingAlive = 0;
  prune();
  for (const timer of live) {
    first = Math.min(first, timer._idleStart + timer._idleTimeout - now);
    if (timer.hasRef()) keepingAlive++;
  }
  return { first, keepingAlive };
}

/** Lets every timer fire so much earlier; those that would have fired by now, at once. */
export function moveTimers(ahead: number): void {
  if (ahead <= 0) return;
  const now = loopNow();
  prune();
  const byDue = [...live].map((timer) => ({ timer, left: timer._idleStart + timer._idleTimeout - now - ahead }));
  // What is overdue fires in the order in which it would have.
  byDue.sort((one, other) => one.left - other.left);
  for (const { timer, left } of byDue) {
    if (!cut.has(timer)) {
      const { _idleTimeout: delay, _onTimeout: onTimeout } = timer;
      cut.set(timer, { delay, onTimeout });
      timer._onTimeout = function fire(this: unknown, ...args) {
        uncut(timer);
        return onTimeout.apply(this, args);
      };
    }
    timer._idleTimeout = Math.max(1, left);
    nativeRefresh.call(timer);
  }
}

/** Replaces the process's timers, global, of `node:timers` and of `node:timers/promises`, and `AbortSignal.timeout`. */
export function installVirtualTimers(): void {
  const probe = nativeSetTimeout(() => {}, 1) as Timer;
  nativeClear(probe);
  const prototype = Object.getPrototypeOf(probe) as { refresh: () => NodeJS.Timeout };
  nativeRefresh = prototype.refresh;
  prototype.refresh = function refresh(this: Timer) {
    if (known.has(this)) {
      uncut(this);
      live.add(this);
    }
    return nativeRefresh.call(this);
  };
  const setTimeout = tracked(nativeSetTimeout, 'setTimeout');
  const setInterval = tracked(nativeSetInterval, 'setInterval');
  const promises = installTimerPromises(setTimeout, setInterval);
  Object.defineProperty(setTimeout, promisify.custom, { enumerable: true, get: () => promises.setTimeout });
  const global = { setTimeout, setInterval };
  Object.assign(globalThis, global);
  Object.assign(timers, global);
  AbortSignal.timeout = abortAfter(AbortSignal.timeout, setTimeout);
  syncBuiltinESMExports();
}

/** Runs `callback` after real milliseconds, for the sandbox itself; keeps nothing alive. */
export function afterReal(milliseconds: number, callback: () => void): () => void {
  const timer = nativeSetTimeout(callback, milliseconds).unref();
  return () => nativeClear(timer);
}

function tracked<Native extends (...args: never[]) => NodeJS.Timeout>(native: Native, name: string): Native {
  const set = (...args: Parameters<Native>) => {
    const timer = native(...args) as Timer;
    known.add(timer);
    live.add(timer);
    if (live.size > pruneAbove) prune();
    return timer;
  };
  return Object.defineProperty(set, 'name', { value: name }) as unknown as Native;
}

function abortAfter(native: typeof AbortSignal.timeout, setTimeout: typeof nativeSetTimeout) {
  return (milliseconds: number): AbortSignal => {
    // Node's own says what is wrong with a number that it does not take.
    if (!(Number.isInteger(milliseconds) && milliseconds >= 0 && milliseconds < 2 ** 31)) return native(milliseconds);
    const controller = new AbortController();
    const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    setTimeout(() => controller.abort(reason()), milliseconds).unref();
    return controller.signal;
  };
}

/** Makes a timer again what its maker made it. */
function uncut(timer: Timer): void {
  const before = cut.get(timer);
  if (before === undefined) return;
  cut.delete(timer);
  timer._onTimeout = before.onTimeout;
  // Cleared ones have -1.
  if (timer._idleTimeout >= 0) timer._idleTimeout = before.delay;
}

function prune(): void {
  for (const timer of live) if (timer._destroyed) live.delete(timer);
  pruneAbove = Math.max(PRUNE_ABOVE, 2 * live.size);
}

/** The event loop's clock, which tells the time only in what it stamps on timers. */
function loopNow(): number {
  const probe = nativeSetTimeout(() => {}, 1) as Timer;
  nativeClear(probe);
  return probe._idleStart;
}
