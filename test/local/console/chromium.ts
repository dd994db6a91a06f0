import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where a browser may be: playwright-core brings none. */
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const CHROMIUM = PLACES.find((place) => place !== undefined && existsSync(place));

if (CHROMIUM === undefined) {
  console.warn(
    'no Chromium was found: the console is not tested in a browser; install it (apt-get install chromium) or set CHROMIUM',
  );
}

export function launch(): Promise<Browser> {
  // Inside a container there are no user namespaces for its sandbox; nothing but our own page is shown.
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
}
