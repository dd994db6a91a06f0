import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Emulator } from '../local/drive/emulator.ts';
import { belfry } from './belfry.ts';

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly found: string;
  readonly fix?: string;
}

let folder: string;
let blocker: http.Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-doctor-'));
  blocker = http.createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  blocker.close();
  rmSync(folder, { recursive: true, force: true });
});

function takenPort(): number {
  return (blocker.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function doctor(
  ...args: string[]
): Promise<{ code: number | null; healthy: boolean; checks: Map<string, Finding> }> {
  const { code, stdout } = await belfry(['doctor', '--json', ...args], { cwd: folder });
  const { healthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: Finding[] };
  return { code, healthy, checks: new Map(checks.map((finding) => [finding.check, finding])) };
}

test('on a machine where nothing is wrong it says so and exits with 0', async () => {
  const { code, healthy, checks } = await doctor('--port', String(await freePort()));
  expect([...checks.values()].filter(({ status }) => status === 'wrong')).toEqual([]);
  expect({ code, healthy }).toEqual({ code: 0, healthy: true });
  expect([...checks.keys()]).toEqual([
    'node',
    'disk',
    'port',
    'dev lock',
    'time zones',
    'clock',
    'endpoint',
    'table',
    'watchdog',
  ]);
});

test('a port in use and a lock left behind are wrong, each with its fix', async () => {
  mkdirSync(join(folder, '.belfry'));
  // No system gives out process numbers this high.
  writeFileSync(join(folder, '.belfry', 'dev.lock'), JSON.stringify({ pid: 2 ** 30 }));
  const { code, checks } = await doctor('--port', String(takenPort()));
  expect(code).toBe(1);
  expect(checks.get('port')).toMatchObject({ status: 'wrong', fix: expect.stringContaining('--port') });
  expect(checks.get('dev lock')).toMatchObject({ status: 'wrong', fix: expect.stringContaining('.belfry/dev.lock') });
});

test('an endpoint where nothing listens is wrong', async () => {
  const port = await freePort();
  const { code, checks } = await doctor('--endpoint', `http://127.0.0.1:${port}`, '--port', String(port));
  expect(code).toBe(1);
  expect(checks.get('endpoint')).toMatchObject({ status: 'wrong', found: expect.stringContaining(String(port)) });
  expect(checks.get('table')?.status).toBe('skipped');
});

test('an endpoint that is another program is wrong', async () => {
  const { checks } = await doctor('--endpoint', `http://127.0.0.1:${takenPort()}`);
  expect(checks.get('endpoint')).toMatchObject({
    status: 'wrong',
    found: expect.stringContaining('no emulator that we know'),
  });
});

test('an emulator where nothing is deployed lacks the table', async () => {
  const emulator = await Emulator.start();
  try {
    const { code, checks } = await doctor('--endpoint', emulator.url);
    expect(code).toBe(1);
    expect(checks.get('endpoint')?.status).toBe('ok');
    expect(checks.get('clock')).toMatchObject({
      status: 'ok',
      found: expect.stringContaining(new URL(emulator.url).host),
    });
    expect(checks.get('table')?.status).toBe('wrong');
  } finally {
    emulator.close();
  }
});

test('for people it is lines, the fix below what is wrong', async () => {
  const { stdout, code } = await belfry(['doctor', '--port', String(takenPort())], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^wrong {4}port .* in use by another program\n +fix: give 'belfry dev' another port/m);
});

test('what is no endpoint is wrong usage', async () => {
  const { code, stderr } = await belfry(['doctor', '--endpoint', 'localhost'], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toContain('is no endpoint');
});
