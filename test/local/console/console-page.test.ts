import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConsoleServer } from '../../../lib/local/console/console-server.ts';
import { CHROMIUM, launch } from './chromium.ts';
import { SampleSource } from './sample-source.ts';

describe.skipIf(CHROMIUM === undefined)('the console in a browser', () => {
  let browser: Browser;
  let server: ConsoleServer;
  let source: SampleSource;
  let page: Page;
  /** Whatever the browser complained of, and every request that was not for the console. */
  let troubles: string[];

  beforeAll(async () => {
    browser = await launch();
  });

  afterAll(() => browser.close());

  beforeEach(async () => {
    source = new SampleSource();
    server = await ConsoleServer.listen(0);
    server.show(async () => source);
    page = await browser.newPage({ viewport: { width: 1440, height: 1000 } });
    troubles = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) troubles.push(`request to ${request.url()}`);
    });
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  });

  afterEach(async () => {
    await page.close();
    server.close();
    expect(troubles).toEqual([]);
  });

  /** The text of the row of a table that begins with this. */
  async function row(table: string, start: string): Promise<string | null> {
    return page.getByRole('region', { name: table }).getByRole('row').filter({ hasText: start }).first().textContent();
  }

  const toast = () => page.getByRole('status').filter({ has: page.locator('.toast') });

  test('shows the clock, the day in figures, jobs with their zones, runs, alarms and messages', async () => {
    await expect.poll(() => page.locator('.clock').textContent()).toContain('23:14:0');
    expect(await page.getByRole('region', { name: 'Summary' }).textContent()).toMatch(
      /1,444\s*succeeded in a day[\s\S]*20\s*missed/,
    );
    expect(await row('Jobs', 'invoice-dunning')).toMatch(/America\/New_York[\s\S]*succeeded[\s\S]*Sun 1 Nov 08:00/);
    expect(await row('Jobs', 'db-cleanup')).toContain('paused: restoring a backup');
    await expect.poll(() => row('Runs of the past day', 'heartbeat')).toMatch(/23:14[\s\S]*succeeded/);
    expect(await page.getByRole('region', { name: 'Alarms' }).textContent()).toMatch(
      /rings[\s\S]*belfry-dev-Failed[\s\S]*1 of 1 datapoints/,
    );
    expect(await page.getByRole('region', { name: 'Messages' }).textContent()).toContain('synthesised the app');
  });

  test('has a lane for each job, with what was, what is due, and where clocks change', async () => {
    const chart = page.locator('.chart');
    await chart.locator('.vis-item.succeeded').first().waitFor();
    await expect
      .poll(() => chart.locator('.lane-name').allInnerTexts())
      .toEqual(['db-cleanup', 'heartbeat', 'invoice-dunning', 'usage-report']);
    for (const status of ['failed', 'missed', 'skipped', 'due', 'clock-change']) {
      await chart.locator(`.vis-item.${status}`).first().waitFor();
    }
    await expect.poll(() => chart.locator('.lane-change').allInnerTexts()).toEqual(['clocks go back 1 h']);
  });

  test('follows what happens without being asked', async () => {
    const scheduledTime = Date.parse('2026-10-31T23:15:00Z');
    const run = { job: 'heartbeat', scheduledTime, attempts: 1, trigger: 'schedule', startedAt: scheduledTime + 300 };
    source.tell({ runs: [{ ...run, status: 'running' }] });
    await page.locator('#runs').getByText('23:15').waitFor();
    await expect.poll(() => row('Runs of the past day', 'heartbeat')).toMatch(/23:15[\s\S]*running/);
    source.tell({ runs: [{ ...run, status: 'failed', endedAt: scheduledTime + 900, error: 'Error: out of beats' }] });
    await page.locator('#runs').getByText('Error: out of beats').waitFor();
    const heard = page.getByRole('log', { name: 'Trouble' });
    await expect
      .poll(() => heard.textContent(), { message: 'trouble is also read out' })
      .toBe('heartbeat failed: Error: out of beats');
    const alarms = (await source.state()).alarms.map((alarm) => ({ ...alarm, state: 'ALARM' }));
    source.tell({ alarms, notes: [{ level: 'error', text: 'heartbeat crashed', at: scheduledTime }] });
    await page.getByText('alarms ring').waitFor();
    await page.getByText('heartbeat crashed').waitFor();
  });

  test('triggers a job and says so', async () => {
    await page.getByRole('button', { name: 'Trigger invoice-dunning' }).click();
    await toast().getByText('invoice-dunning was asked to run').waitFor();
    expect(source.asked).toEqual(['trigger invoice-dunning']);
    await expect.poll(() => row('Runs of the past day', 'invoice-dunning')).toMatch(/running[\s\S]*manual/);
  });

  test('pauses a job with a note, and resumes it', async () => {
    await page.getByRole('button', { name: 'Pause heartbeat' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause heartbeat' });
    await dialog.getByRole('button', { name: 'Pause' }).click();
    expect(await dialog.isVisible(), 'without a note nothing is paused').toBe(true);
    await dialog.getByLabel('Why').fill('too loud');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume heartbeat' }).waitFor();
    await expect.poll(() => row('Jobs', 'heartbeat')).toContain('paused: too loud');
    await page.getByRole('button', { name: 'Resume heartbeat' }).click();
    await page.getByRole('button', { name: 'Pause heartbeat' }).waitFor();
    expect(source.asked).toEqual(['pause heartbeat: too loud', 'resume heartbeat']);
  });

  test('skips the next occurrence and backfills a range', async () => {
    await page.getByLabel('More for usage-report').click();
    await page.getByRole('button', { name: 'Skip the next one' }).click();
    await toast().getByText('usage-report skips 2026-11-01T00:00:00Z').waitFor();
    await expect.poll(() => row('Jobs', 'usage-report')).toMatch(/Sun 1 Nov 00:00\W+skipped/);
    await page.getByLabel('More for usage-report').click();
    await page.getByRole('button', { name: 'Backfill…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Backfill usage-report' });
    await dialog.getByLabel('After (UTC)').fill('2026-10-31T00:00');
    await dialog.getByLabel('Up to (UTC)').fill('2026-10-30T00:00');
    await dialog.getByRole('button', { name: 'Run them' }).click();
    await toast().getByText('give an end after its beginning').waitFor();
    await dialog.getByLabel('Up to (UTC)').fill('2026-10-31T03:00');
    await dialog.getByRole('button', { name: 'Run them' }).click();
    await toast().getByText('usage-report was asked for 3 occurrences').waitFor();
    // The browser notes every refusal.
    troubles = troubles.filter((text) => !text.includes('status of 400'));
    expect(source.asked.at(-1)).toBe('backfill usage-report 2026-10-31T00:00:00.000Z 2026-10-31T03:00:00.000Z');
  });

  test('pauses the clock, steps, jumps to a change of the clocks, sets the speed', async () => {
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Step' }).click();
    await page.locator('.clock').getByText('23:15:00').waitFor();
    const jump = page.getByLabel('Jump to');
    const [choice = ''] = (await jump.locator('option').allInnerTexts()).filter((text) =>
      text.startsWith('America/New_York'),
    );
    expect(choice).toContain('clocks go back 1 h');
    await jump.selectOption({ label: choice });
    await page.locator('.clock').getByText('05:00:00').waitFor();
    await page.getByLabel('Speed').selectOption('600');
    await toast().getByText('600 times as fast').waitFor();
    expect(source.asked).toEqual(['pauseClock', 'step', 'jump 2026-11-01T05:00:00.000Z', 'setSpeed 600']);
  });

  test('shows one run in full, and what a job printed is never markup', async () => {
    await page.locator('#runs').getByLabel('Job').selectOption('usage-report');
    await page.locator('#runs').getByRole('row').filter({ hasText: 'SupplierError' }).getByRole('button').click();
    const panel = page.getByRole('complementary', { name: 'usage-report' });
    await panel.getByRole('heading', { name: 'Attempts' }).waitFor();
    const text = await panel.textContent();
    expect(text).toMatch(/failed[\s\S]*Sat 31 Oct 14:00:00 Europe\/London/);
    expect(text).toContain('12 of 3,214 are overdue <b>not bold</b>');
    expect(text).toMatch(/"rows": 3214/);
    await panel.getByText('The record behind it').click();
    expect(await panel.textContent()).toContain('"pk": "J#usage-report"');
  });

  test('shows times in the zone one asks for', async () => {
    await page.getByLabel('Show times in').selectOption('America/New_York');
    await expect.poll(() => page.locator('.clock').textContent()).toContain('19:14:0');
    await page.locator('.chart').getByText('Sun 1 November').waitFor();
  });

  test('can be used without a pointer', async () => {
    await page.keyboard.press('Tab');
    await page.getByText('Skip to the list of runs').and(page.locator(':focus')).waitFor();
    const pause = page.getByRole('button', { name: 'Pause usage-report' });
    await pause.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('textbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    const resume = page.getByRole('button', { name: 'Resume usage-report' });
    await resume.waitFor();
    await pause.waitFor({ state: 'detached' });
    const run = page.locator('#runs').getByRole('button', { name: 'heartbeat' }).first();
    await run.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'heartbeat' }).waitFor();
    await page.locator('#panel-title:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'heartbeat' }).waitFor({ state: 'detached' });
    // The focus is given back.
    await run.and(page.locator(':focus')).waitFor();
  });

  test('is dark where the person likes it dark, and can be told otherwise', async () => {
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.getByLabel('Colours').selectOption('light');
    await expect.poll(ground).toBe(light);
    await page.reload();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    expect(await ground(), 'it remembers').toBe(light);
  });

  // To be looked at: CONSOLE_SCREENSHOTS=<folder> keeps them.
  test.each(['light', 'dark'] as const)('is drawn, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.locator('.chart .vis-item.failed').waitFor();
    const folder = process.env.CONSOLE_SCREENSHOTS;
    const shot = async (name: string) => {
      const path = folder === undefined ? {} : { path: join(folder, `console-${name}-${colorScheme}.png`) };
      expect((await page.screenshot(path)).length).toBeGreaterThan(20_000);
    };
    await shot('page');
    await page.locator('#runs').getByLabel('Job').selectOption('usage-report');
    await page.locator('#runs').getByRole('row').filter({ hasText: 'SupplierError' }).getByRole('button').click();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await shot('run');
  });

  test('says when the runtime is gone, and goes on by itself when it is back with another token', async () => {
    const port = Number(new URL(server.url).port);
    server.close();
    await page.getByText('waiting for the runtime').waitFor();
    server = await ConsoleServer.listen(port);
    server.show(async () => source);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Trigger heartbeat' }).click();
    await toast().getByText('heartbeat was asked to run').waitFor();
    troubles = troubles.filter((text) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|403/.test(text));
  });
});
