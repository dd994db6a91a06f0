import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConsoleServer } from '../../../lib/local/console/console-server.ts';
import { eventually } from '../../support/eventually.ts';
import { SampleSource } from './sample-source.ts';

let server: ConsoleServer;
let source: SampleSource;
let token: string;

beforeEach(async () => {
  source = new SampleSource();
  server = await ConsoleServer.listen(0);
  server.show(async () => source);
  token = /name="belfry-token" content="([^"]+)"/.exec((await ask('GET', '/')).text)?.[1] ?? '';
});

afterEach(() => server.close());

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly headers: { readonly [name: string]: unknown };
}

/** `fetch` would not send the headers that matter here. */
function ask(method: string, path: string, headers: { [name: string]: string } = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text, headers: response.headers }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };

function command(body: object, headers: { [name: string]: string } = { 'x-belfry-token': token }): Promise<Answer> {
  return ask('POST', '/api/command', { ...JSON_TYPE, ...headers }, JSON.stringify(body));
}

test('listens on loopback only', () => {
  expect(new URL(server.url).hostname).toBe('127.0.0.1');
});

test('the page loads nothing from elsewhere and may not be framed', async () => {
  const { headers, text } = await ask('GET', '/');
  expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  expect(text).not.toMatch(/https?:/);
  expect((await ask('GET', '/page.css')).text).not.toMatch(/url\((?!["']?data:)|@import/);
});

test('every start has a token of its own', async () => {
  const other = await ConsoleServer.listen(0);
  const text = await (await fetch(other.url)).text();
  other.close();
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(text).not.toContain(token);
});

describe('who may not use it', () => {
  test.each([
    ['no token', {}],
    ['the token of another start', { 'x-belfry-token': 'A'.repeat(32) }],
    ['a token that is too short', { 'x-belfry-token': 'A' }],
  ])('%s', async (_, headers: { [name: string]: string }) => {
    expect((await command({ do: 'trigger', job: 'heartbeat' }, headers)).status).toBe(403);
    expect((await ask('GET', '/api/state', headers)).status).toBe(403);
    expect((await ask('GET', '/api/changes', headers)).status).toBe(403);
    expect(source.asked).toEqual([]);
  });

  test.each([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a name that was bound anew', { host: 'evil.example' }],
    ['what the browser calls another site', { 'sec-fetch-site': 'cross-site' }],
    ['what the browser calls the same site', { 'sec-fetch-site': 'same-site' }],
  ])('%s, even with the token', async (_, headers: { [name: string]: string }) => {
    expect((await command({ do: 'trigger', job: 'heartbeat' }, { 'x-belfry-token': token, ...headers })).status).toBe(
      403,
    );
    expect((await ask('GET', '/', headers)).status).toBe(403);
    expect(source.asked).toEqual([]);
  });

  test('a form, which needs no leave to be sent from elsewhere', async () => {
    const body = JSON.stringify({ do: 'trigger', job: 'heartbeat' });
    const { status } = await ask('POST', `/api/command?token=${token}`, { 'content-type': 'text/plain' }, body);
    expect(status).toBe(400);
    expect(source.asked).toEqual([]);
  });
});

describe('commands', () => {
  const from = Date.parse('2026-10-30T00:00:00Z');
  test.each([
    [{ do: 'trigger', job: 'heartbeat' }, 'trigger heartbeat'],
    [{ do: 'pause', job: 'heartbeat', note: ' too loud ' }, 'pause heartbeat: too loud'],
    [{ do: 'resume', job: 'heartbeat' }, 'resume heartbeat'],
    [{ do: 'skip', job: 'heartbeat', scheduledTime: from }, 'skip heartbeat 2026-10-30T00:00:00.000Z'],
    [
      { do: 'backfill', job: 'heartbeat', from, to: from + 60_000 },
      'backfill heartbeat 2026-10-30T00:00:00.000Z 2026-10-30T00:01:00.000Z',
    ],
    [{ do: 'pauseClock' }, 'pauseClock'],
    [{ do: 'resumeClock' }, 'resumeClock'],
    [{ do: 'step' }, 'step'],
    [{ do: 'jump', to: from }, 'jump 2026-10-30T00:00:00.000Z'],
    [{ do: 'setSpeed', speed: 600 }, 'setSpeed 600'],
  ])('%o is carried out', async (body, asked) => {
    const { status, text } = await command(body);
    expect({ status, asked: source.asked }).toEqual({ status: 200, asked: [asked] });
    expect(JSON.parse(text)).toEqual({ message: expect.any(String) });
  });

  test.each([
    [{ do: 'explode' }, /do/],
    [{ do: 'pause', job: 'heartbeat', note: '  ' }, /say why/],
    [{ do: 'setSpeed', speed: 0 }, /speed/],
    [{ do: 'jump', to: 'tomorrow' }, /to/],
    [{ do: 'backfill', job: 'heartbeat', from, to: from }, /an end after its beginning/],
  ])('%o is refused with a reason', async (body, reason) => {
    const { status, text } = await command(body);
    expect(status).toBe(400);
    expect((JSON.parse(text) as { message: string }).message).toMatch(reason);
    expect(source.asked).toEqual([]);
  });

  test('a run that does not exist is not found', async () => {
    expect((await ask('GET', `/api/run?job=heartbeat&scheduledTime=1`, { 'x-belfry-token': token })).status).toBe(404);
  });
});

test('while no page is open, nothing is looked up for one', async () => {
  expect(source.listenerCount).toBe(0);
  const left = new AbortController();
  await fetch(`${server.url}/api/changes?token=${token}`, { signal: left.signal });
  await fetch(`${server.url}/api/changes?token=${token}`, { signal: left.signal });
  expect(source.listenerCount).toBe(1);
  left.abort();
  await eventually(() => expect(source.listenerCount).toBe(0));
});

test('a port that is taken is refused at once, and left for another when none was asked for', async () => {
  const port = Number(new URL(server.url).port);
  await expect(ConsoleServer.listen(port)).rejects.toThrow(`port ${port} is in use: choose another with --port`);
});

test('before there is anything to show it says so', async () => {
  const early = await ConsoleServer.listen(0);
  const text = await (await fetch(early.url)).text();
  const earlyToken = /content="([\w-]{32})"/.exec(text)?.[1] ?? '';
  const { status } = await fetch(`${early.url}/api/state`, { headers: { 'x-belfry-token': earlyToken } });
  early.close();
  expect(status).toBe(503);
});
