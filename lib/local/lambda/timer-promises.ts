import type { TimerOptions } from 'node:timers';
import native from 'node:timers/promises';

type SetTimer = (callback: () => void, delay?: number) => NodeJS.Timeout;

/**
 * Lets `node:timers/promises` wait with these timers. What is wrong with arguments, and how an aborted wait fails, Node's
 * own functions say.
 */
export function installTimerPromises(setTimer: SetTimer, setTicker: SetTimer): typeof native {
  const { setTimeout: nativeWait, setInterval: nativeTicks } = native;
  const wait = <Value>(delay?: number, value?: Value, options?: TimerOptions): Promise<Value> => {
    if (!isUsual(delay, options) || options?.signal?.aborted === true) return nativeWait(delay, value, options);
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      const abort = () => {
        clearTimeout(timer);
        nativeWait(delay, value, options).catch(reject);
      };
      const timer = setTimer(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value as Value);
      }, delay);
      if (options?.ref === false) timer.unref();
      signal?.addEventListener('abort', abort, { once: true });
    });
  };
  const ticks = <Value>(delay?: number, value?: Value, options?: TimerOptions) => {
    if (!isUsual(delay, options) || options?.signal?.aborted === true) return nativeTicks(delay, value, options);
    return tick(setTicker, nativeWait, delay, value as Value, options);
  };
  native.setTimeout = wait as typeof native.setTimeout;
  native.setInterval = ticks as typeof native.setInterval;
  Object.defineProperty(native.scheduler, 'wait', {
    configurable: true,
    writable: true,
    value: (delay: number, options?: TimerOptions) => wait(delay, undefined, options),
  });
  return native;
}

async function* tick<Value>(
  setTicker: SetTimer,
  nativeWait: typeof native.setTimeout,
  delay: number | undefined,
  value: Value,
  options: TimerOptions | undefined,
): AsyncGenerator<Value> {
  const signal = options?.signal;
  let due = 0;
  let wake = () => {};
  const onAbort = () => wake();
  const ticker = setTicker(() => {
    due++;
    wake();
  }, delay);
  if (options?.ref === false) ticker.unref();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      if (due === 0 && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      for (; due > 0; due--) yield value;
      if (signal?.aborted === true) await nativeWait(delay, value, options);
    }
  } finally {
    clearInterval(ticker);
    signal?.removeEventListener('abort', onAbort);
  }
}

function isUsual(delay: unknown, options: unknown): boolean {
  if (delay !== undefined && typeof delay !== 'number') return false;
  if (options === undefined) return true;
  if (typeof options !== 'object' || options === null) return false;
  const { signal, ref } = options as { signal?: unknown; ref?: unknown };
  return (signal === undefined || signal instanceof AbortSignal) && (ref === undefined || typeof ref === 'boolean');
}
