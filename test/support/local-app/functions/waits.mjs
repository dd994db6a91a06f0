/** Handlers that wait, in every way that Node has. */
import { pbkdf2 } from 'node:crypto';
import timers, { setTimeout as fromModule } from 'node:timers';
import { scheduler, setInterval as ticks, setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const MINUTE = 60_000;

/** What happens after how many minutes, by the process's own clock. */
function story() {
  const begin = Date.now();
  const told = [];
  return { told, tell: (what) => told.push([what, Math.round((Date.now() - begin) / MINUTE)]) };
}

export async function sleep({ ms }) {
  const [date, elapsed] = [Date.now(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { date: Date.now() - date, elapsed: performance.now() - elapsed };
}

export async function callbacks() {
  const { told, tell } = story();
  const cleared = setTimeout(() => tell('cleared'), 2 * MINUTE);
  const byNumber = +setTimeout(() => tell('cleared by number'), 2 * MINUTE);
  setTimeout(() => tell('unref'), 3 * MINUTE).unref();
  const late = setTimeout(() => tell('refreshed'), 8 * MINUTE);
  setTimeout(() => late.refresh(), 5 * MINUTE);
  let ticked = 0;
  const ticker = setInterval(() => {
    tell('tick');
    if (++ticked === 3) clearInterval(ticker);
  }, 4 * MINUTE);
  fromModule(() => tell('node:timers'), MINUTE);
  setTimeout((...args) => tell(`with ${args}`), MINUTE, 'a', 'b');
  setTimeout(() => {
    clearTimeout(cleared);
    clearTimeout(byNumber);
  }, MINUTE);
  await new Promise((resolve) => setTimeout(resolve, 20 * MINUTE));
  late.refresh();
  const again = late.hasRef();
  await new Promise((resolve) => setTimeout(resolve, 10 * MINUTE));
  return { told, again, same: timers.setTimeout === setTimeout };
}

export async function promises() {
  const { told, tell } = story();
  tell(await wait(MINUTE, 'waited'));
  await scheduler.wait(MINUTE);
  tell('scheduler');
  await promisify(setTimeout)(MINUTE);
  tell('promisified');
  let round = 0;
  for await (const value of ticks(MINUTE, 'tick')) {
    tell(value);
    if (++round === 2) break;
  }
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), MINUTE);
  await wait(60 * MINUTE, undefined, { signal: controller.signal }).catch((error) =>
    tell(`${error.name} ${error.code} ${error.cause.message}`),
  );
  await wait(60 * MINUTE, undefined, { signal: AbortSignal.timeout(MINUTE) }).catch((error) => tell(error.cause.name));
  await wait('soon').catch((error) => tell(error.code));
  return { told };
}

/** Does something that no timer waits for, with a timer beside it that must not fire before. */
export async function busy({ url }) {
  const work =
    url === undefined
      ? new Promise((resolve) => pbkdf2('secret', 'salt', 300_000, 64, 'sha512', () => resolve('done')))
      : fetch(url).then((response) => response.text());
  return Promise.race([work, wait(60 * MINUTE, 'overtaken')]);
}
