import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSampleApp } from '../../support/sample-app.ts';
import { CHROMIUM, launch } from './chromium.ts';

const BELFRY = resolve(import.meta.dirname, '../../../bin/belfry.ts');

describe.skipIf(CHROMIUM === undefined)('the console of belfry dev', () => {
  let app: ReturnType<typeof createSampleApp>;
  let dev: ChildProcess;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    app = createSampleApp();
    const flags = ['--json', '--from', '2026-10-31T23:58:30Z', '--duration', '10m'];
    dev = spawn(process.execPath, [BELFRY, 'dev', ...flags], { cwd: app.path, stdio: ['ignore', 'ignore', 'pipe'] });
    const url = await new Promise<string>((found, failed) => {
      let said = '';
      dev.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        const [, address] = /console: (\S+)/.exec(said) ?? [];
        if (address !== undefined) found(address);
      });
      dev.once('exit', (code) => failed(new Error(`belfry dev ended with ${code}: ${said}`)));
    });
    browser = await launch();
    page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    if (dev.exitCode === null && dev.signalCode === null) {
      const ended = new Promise((resolveEnded) => dev.once('exit', resolveEnded));
      dev.kill('SIGTERM');
      await ended;
    }
    app[Symbol.dispose]();
  });

  const runs = () => page.locator('#runs tbody tr');
  const succeeded = (job: string) => runs().filter({ hasText: job }).filter({ hasText: 'succeeded' });

  test('what is due happens before one’s eyes, and its record can be read', async () => {
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Step' }).click();
    await succeeded('heartbeat').first().waitFor();
    await page.locator('.clock').getByText('23:59:0').waitFor();
    await succeeded('heartbeat').first().getByRole('button').click();
    const panel = page.getByRole('complementary', { name: 'heartbeat' });
    await panel.getByRole('heading', { name: 'Log' }).waitFor();
    expect(await panel.textContent()).toMatch(/"sk": "R#2026-10-31T23:59:00Z"/);
    await page.keyboard.press('Escape');
  });

  test('a job is triggered', async () => {
    await page.getByRole('button', { name: 'Trigger invoice-dunning' }).click();
    await succeeded('invoice-dunning').getByText('manual').waitFor();
  });

  test('a paused job is skipped when it is due, and the note is seen', async () => {
    await page.getByRole('button', { name: 'Pause db-cleanup' }).click();
    await page.getByLabel('Why').fill('restoring a backup');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resume db-cleanup' }).waitFor();
    await page.getByRole('button', { name: 'Step' }).click();
    await runs().filter({ hasText: 'db-cleanup' }).filter({ hasText: 'skipped' }).getByText('paused').waitFor();
    await page.getByRole('button', { name: 'Resume db-cleanup' }).click();
    await page.getByRole('button', { name: 'Pause db-cleanup' }).waitFor();
  });

  test('an occurrence is skipped by hand, and what was missed is backfilled', async () => {
    await page.getByLabel('More for usage-report').click();
    await page.getByRole('button', { name: 'Skip the next one' }).click();
    await runs().filter({ hasText: 'usage-report' }).filter({ hasText: 'skipped' }).waitFor();
    await page.getByLabel('More for usage-report').click();
    await page.getByRole('button', { name: 'Backfill…' }).click();
    await page.getByLabel('After (UTC)').fill('2026-10-31T20:30');
    await page.getByLabel('Up to (UTC)').fill('2026-10-31T22:30');
    await page.getByRole('button', { name: 'Run them' }).click();
    await page.getByText('usage-report was asked for 2 occurrences').waitFor();
    await succeeded('usage-report').filter({ hasText: 'backfill' }).nth(1).waitFor();
  });

  test('what is skipped from a terminal is seen at its job', async () => {
    const flags = ['skip', 'invoice-dunning', '2026-11-02T13:00:00Z', '--local', '--note', 'month end'];
    await promisify(execFile)(process.execPath, [BELFRY, ...flags], { cwd: app.path });
    const job = page.getByRole('region', { name: 'Jobs' }).getByRole('row', { name: /^invoice-dunning/ });
    await job.getByText('skipped').waitFor();
  });

  test('the clock runs at the speed one asks for, and jumps', async () => {
    await page.getByLabel('Speed').selectOption('600');
    await page.getByLabel('Jump to').selectOption({ label: 'in an hour' });
    await page.locator('.clock time').filter({ hasText: /^01:/ }).waitFor();
    await succeeded('heartbeat').filter({ hasText: '01:00' }).waitFor();
    // The one that was skipped by hand was due on the way, and stayed what it was.
    await runs().filter({ hasText: 'usage-report' }).filter({ hasText: '01:00' }).getByText('skipped').waitFor();
    expect(await succeeded('heartbeat').count()).toBeGreaterThan(10);
  });
});
