import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dev } from '../support/dev-run.ts';
import { createLocalApp } from '../support/local-app.ts';

const BEAT = { name: 'beat', handler: 'beat', expression: 'cron(* * * * ? *)' };
const GUARD = { name: 'guard', handler: 'missing', expression: 'cron(* * * * ? *)', watchdog: true };
const JSON_HOUR = ['--json', '--from', '2026-10-31T23:00Z', '--speed', '3600'];

describe('belfry dev', () => {
  it('prints the documented lines, in order, and ends at --until', async () => {
    using app = createLocalApp({ jobs: [BEAT, GUARD] });
    const { code, lines, stderr } = await dev(app.path, ...JSON_HOUR, '--until', '2026-10-31T23:03Z').ended;
    expect(code, stderr).toBe(0);
    expect(lines[0]).toEqual({
      type: 'ready',
      at: '2026-10-31T23:00:00Z',
      jobs: [{ name: 'beat', schedule: 'cron(* * * * ? *)', timeZone: 'UTC', next: '2026-10-31T23:00:00Z' }],
    });
    const of = (type: string) => lines.filter((line) => line.type === type);
    expect(of('fired').map(({ job, scheduledTime, at }) => [job, scheduledTime, at])).toEqual([
      ['beat', '2026-10-31T23:00:00Z', '2026-10-31T23:00:00Z'],
      ['beat', '2026-10-31T23:01:00Z', '2026-10-31T23:01:00Z'],
      ['beat', '2026-10-31T23:02:00Z', '2026-10-31T23:02:00Z'],
    ]);
    expect(of('run')).toHaveLength(3);
    expect(of('run')[0]).toEqual({
      type: 'run',
      job: 'beat',
      scheduledTime: '2026-10-31T23:00:00Z',
      status: 'succeeded',
      attempt: 1,
      trigger: 'schedule',
      durationMs: expect.any(Number) as unknown,
      at: expect.stringMatching(/^2026-10-31T23:00:0/) as unknown,
    });
    expect(of('missed')).toHaveLength(3);
    expect(of('missed')[0]).toMatchObject({ job: 'beat', scheduledTime: '2026-10-31T23:00:00Z', cause: 'not fired' });
    expect(of('alarm')).toEqual([
      {
        type: 'alarm',
        name: 'dev-watch-missed',
        state: 'ALARM',
        severity: 'warn',
        reason: 'Missed >= 1 in 1 of 1 periods (1)',
        at: expect.stringMatching(/^2026-10-31T23:0[12]:/) as unknown,
      },
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'stopped', fired: 3, runs: 3, missed: 3 });
    expect(stderr).toContain('AWS::CloudWatch::Dashboard (Board): dashboards are drawn by CloudWatch only');
    const log = readFileSync(join(app.path, '.belfry/dev/logs/dev-jobs-beatFn.log'), 'utf8');
    expect(log.match(/^REPORT RequestId: /gm)).toHaveLength(3);
  });

  it('continues with the same data, and --fresh starts anew', async () => {
    using app = createLocalApp({
      jobs: [BEAT, { name: 'count', handler: 'count', expression: 'cron(0 0 1 1 ? 2099)', watchdog: true }],
    });
    const from = (minute: number) => ['--json', '--from', `2026-10-31T23:0${minute}Z`, '--speed', '3600'];
    await dev(app.path, ...from(0), '--until', '2026-10-31T23:02Z').ended;
    await dev(app.path, ...from(2), '--until', '2026-10-31T23:04Z').ended;
    expect(await countItems(app.path)).toBe(4);
    expect(await countItems(app.path, '--fresh')).toBe(0);
  });

  it('drains at the first Ctrl-C: the running job ends, nothing new starts, exit 0', async () => {
    using app = createLocalApp({ jobs: [{ ...BEAT, handler: 'slow', timeout: 20 }] });
    const run = dev(app.path, ...JSON_HOUR);
    await run.until((line) => line.type === 'fired');
    run.child.kill('SIGINT');
    const { code, lines } = await run.ended;
    expect(code).toBe(0);
    expect(lines.slice(1).map((line) => line.type)).toEqual(['fired', 'run', 'stopped']);
    expect(lines.at(-1)).toMatchObject({ fired: 1, runs: 1 });
  });

  it('kills at the second Ctrl-C', async () => {
    using app = createLocalApp({ jobs: [{ ...BEAT, handler: 'hang', timeout: 60 }] });
    const run = dev(app.path, ...JSON_HOUR);
    await run.until((line) => line.type === 'fired');
    run.child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(run.child.exitCode).toBeNull();
    run.child.kill('SIGINT');
    const { code, lines } = await run.ended;
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({ type: 'stopped', fired: 1, runs: 0 });
  });

  it('refuses a second run on the folder, and takes over from one that was killed', async () => {
    using app = createLocalApp({ jobs: [BEAT] });
    const first = dev(app.path, ...JSON_HOUR, '--speed', '1');
    await first.until((line) => line.type === 'ready');
    const second = await dev(app.path, ...JSON_HOUR).ended;
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`process ${first.child.pid} already runs on .belfry`);
    first.child.kill('SIGKILL');
    await first.ended;
    const third = await dev(app.path, ...JSON_HOUR, '--until', '2026-10-31T23:02Z').ended;
    expect(third.code, third.stderr).toBe(0);
  });

  it('retries a failed event on the clock and puts it into the dead-letter queue in the end', async () => {
    using app = createLocalApp({
      jobs: [{ ...BEAT, name: 'fails', handler: 'throws', expression: 'at(2026-10-31T23:00:00)', retries: 2 }],
    });
    const { code, lines, stderr } = await dev(app.path, ...JSON_HOUR, '--until', '2026-10-31T23:08Z').ended;
    expect(code).toBe(0);
    expect(stderr.match(/fails failed \(attempt \d\): OrderMissing: no order for fails/g)).toHaveLength(3);
    expect(lines.find((line) => line.type === 'alarm')).toMatchObject({
      name: 'dev-dead-letters',
      state: 'ALARM',
      severity: 'ticket',
    });
    const [record] = readFileSync(join(app.path, '.belfry/dev/queues/dev-jobs-Queue.jsonl'), 'utf8').split('\n');
    const { body } = JSON.parse(record ?? '') as { readonly body: string };
    expect(JSON.parse(body)).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
      requestPayload: { job: 'fails', scheduledTime: '2026-10-31T23:00:00Z' },
      responsePayload: { errorType: 'OrderMissing' },
    });
  });

  it.runIf(process.platform === 'linux')(
    'loses nothing and doubles nothing when it is killed and started again',
    async () => {
      using app = createLocalApp({
        jobs: [BEAT, { name: 'count', handler: 'count', expression: 'cron(0 0 1 1 ? 2099)', watchdog: true }],
      });
      const first = dev(app.path, '--json', '--from', '2026-10-31T23:00Z', '--speed', '600');
      await first.until((line) => line.type === 'run' && line.scheduledTime === '2026-10-31T23:03:00Z');
      first.child.kill('SIGKILL');
      const { lines } = await first.ended;
      const written = lines.filter((line) => line.type === 'run').length;
      // The fixture's items are keyed by their scheduled time: what was written twice counts once.
      expect(await countItems(app.path)).toBeGreaterThanOrEqual(written);
      await waitUntilGone(`${app.path}/`);
    },
  );

  it('prints plain lines where there is no terminal', async () => {
    using app = createLocalApp({ jobs: [BEAT] });
    const { stdout } = await dev(
      app.path,
      '--from',
      '2026-10-31T23:00Z',
      '--speed',
      '3600',
      '--until',
      '2026-10-31T23:01Z',
    ).ended;
    expect(stdout).toContain('beat: cron(* * * * ? *) in UTC, next 2026-10-31T23:00:00Z');
    expect(stdout).toMatch(/beat {2}2026-10-31T23:00:00Z {2}succeeded in \d+ ms/);
    expect(stdout).toMatch(/stopped at 2026-10-31T23:01:00Z: 1 fired, 1 attempt ended, 0 missed/);
    expect(stdout.includes(String.fromCharCode(27))).toBe(false);
  });

  it('stops after --duration of real time', async () => {
    using app = createLocalApp({ jobs: [BEAT] });
    const { code, lines } = await dev(app.path, '--json', '--duration', '500ms').ended;
    expect(code).toBe(0);
    expect(lines.map((line) => line.type)).toEqual(expect.arrayContaining(['ready', 'stopped']));
  });
});

describe('what goes wrong is said, with the fix', () => {
  it.each([
    [['--speed', '0'], 'Give a number from 1 to 1000000'],
    [['--from', 'yesterday'], 'Give an ISO instant with its offset'],
    [['--duration', '90'], 'Give a number with ms, s, m or h'],
    [['--port', '0'], 'Give a number from 1 to 65535'],
    [['--colour'], "unknown option '--colour'"],
    [['--colour'], "Run 'belfry dev --help' to see what there is."],
    [['--environment', 'prod'], "the app declares no environment 'prod': it has dev"],
    [['--from', '2026-10-31T23:00Z', '--until', '2026-10-31T22:00Z'], '--until 2026-10-31T22:00:00.000Z is not after'],
  ])('%j: exit 2', async (flags, message) => {
    using app = createLocalApp({ jobs: [BEAT] });
    const { code, stderr } = await dev(app.path, ...flags).ended;
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('an app that does not synthesise: its own words, exit 1, and the folder is free again', async () => {
    using app = createLocalApp({ fail: 'the zone Mars/Base is not known' });
    for (let attempt = 0; attempt < 2; attempt++) {
      const { code, stderr } = await dev(app.path, '--json').ended;
      expect(stderr).toContain('the app did not synthesise');
      expect(stderr).toContain('the zone Mars/Base is not known');
      expect(code).toBe(1);
    }
  });

  it('a port in use: exit 2', async () => {
    using app = createLocalApp({ jobs: [BEAT] });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await dev(app.path, '--json', '--port', String(port)).ended;
    server.close();
    expect(stderr).toContain(`port ${port} is in use: choose another with --port`);
    expect(code).toBe(2);
  });

  it('a table that changed its keys: exit 1, and the data stays', async () => {
    using app = createLocalApp({ jobs: [BEAT] });
    await dev(app.path, ...JSON_HOUR, '--until', '2026-10-31T23:01Z').ended;
    const cdkJson = join(app.path, 'cdk.json');
    const settings = JSON.parse(readFileSync(cdkJson, 'utf8')) as { context: object };
    writeFileSync(cdkJson, JSON.stringify({ ...settings, context: { ...settings.context, hashOnly: true } }));
    const { code, stderr } = await dev(app.path, '--json').ended;
    expect(stderr).toContain(
      "table 'dev-runs' is on disk with other keys than the app declares now: start with --fresh",
    );
    expect(code).toBe(1);
  });
});

/** Processes whose command line or working folder is in a folder of the test. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) ||
          readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** A run that was killed leaves no process of its own behind. */
async function waitUntilGone(folder: string): Promise<void> {
  while (processesOf(folder).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** How many items the table holds, asked through a function, at a time when nothing fires. */
async function countItems(folder: string, ...flags: string[]): Promise<number> {
  const run = dev(folder, '--json', '--from', '2026-10-31T23:10:05Z', '--endpoint-port', '47471', ...flags);
  await run.until((line) => line.type === 'ready');
  const url = 'http://127.0.0.1:47471/2015-03-31/functions/dev-jobs-countFn/invocations';
  const response = await fetch(url, { method: 'POST' });
  const counted = Number(await response.text());
  run.child.kill('SIGINT');
  await run.ended;
  return counted;
}
