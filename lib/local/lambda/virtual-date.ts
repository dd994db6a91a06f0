const RealDate = Date;
const realNow = Date.now;
const realElapsed = performance.now.bind(performance);

let offsetMs = 0;
/** By how much `performance.now()` is ahead of what it would be without us. */
let elapsedAheadMs = 0;

/** Virtual minus real time, whole milliseconds. */
export function clockOffset(): number {
  return offsetMs;
}

/**
 * Sets virtual minus real time, whole milliseconds.
 * @returns by how many milliseconds virtual time went ahead
 */
export function setClockOffset(milliseconds: number): number {
  const ahead = Math.max(0, milliseconds - offsetMs);
  offsetMs = milliseconds;
  elapsedAheadMs += ahead;
  return ahead;
}

/** Now, on the clock that the process is shown. */
export function virtualNow(): number {
  return realNow() + offsetMs;
}

/**
 * Replaces the process's `Date` by one that shows virtual time. Instances stay real `Date`s: `instanceof`, subclasses,
 * structured clone and formatting work as ever. `performance.now()` goes along from here, so that what is measured with it
 * fits what the timers do; `performance.timeOrigin`, marks and `process.hrtime()` stay real.
 *
 * @param offset virtual minus real time, whole milliseconds
 */
export function installVirtualDate(offset: number): void {
  offsetMs = offset;
  const virtualDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [virtualNow()] : args, newTarget),
    apply: () => new RealDate(virtualNow()).toString(),
    get: (target, key, receiver) => (key === 'now' ? virtualNow : Reflect.get(target, key, receiver)),
  });
  RealDate.prototype.constructor = virtualDate;
  globalThis.Date = virtualDate;
  performance.now = () => realElapsed() + elapsedAheadMs;
}
