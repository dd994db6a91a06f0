const RealDate = Date;
const realNow = Date.now;

let offsetMs = 0;

/** Virtual minus real time, whole milliseconds. It is handed over with every invocation. */
export function setClockOffset(milliseconds: number): void {
  offsetMs = milliseconds;
}

/**
 * Replaces the process's `Date` by one that shows virtual time. Instances stay real `Date`s: `instanceof`, subclasses,
 * structured clone and formatting work as ever. Timers and `performance` keep real time.
 */
export function installVirtualDate(): void {
  const now = () => realNow() + offsetMs;
  const virtualDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
  RealDate.prototype.constructor = virtualDate;
  globalThis.Date = virtualDate;
}
