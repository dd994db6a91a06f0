import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wholeBody } from '../../../lib/local/endpoints/whole-body.ts';
import { eventually } from '../../support/eventually.ts';

const bodies: string[] = [];
let begun = 0;
let closed = 0;
const server = http.createServer((request, response) => {
  begun++;
  request.on('close', () => closed++);
  wholeBody(request, (body) => {
    bodies.push(body);
    response.end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

function post(): http.ClientRequest {
  return http.request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', method: 'POST' });
}

/** Sends the parts one after the other, each once the one before has been taken. */
async function send(parts: readonly Uint8Array[]): Promise<string | undefined> {
  const request = post();
  const answered = new Promise<void>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => response.resume().on('end', resolve));
  });
  for (const part of parts) await new Promise<unknown>((resolve) => request.write(part, resolve));
  request.end();
  await answered;
  return bodies.at(-1);
}

it('has characters whole that came in parts', async () => {
  const text = JSON.stringify({ name: 'Zoë pays 5 € 🎉' });
  const bytes = Buffer.from(text);
  expect(await send([...bytes].map((byte) => Uint8Array.of(byte)))).toBe(text);
});

it('has large bodies and empty ones', async () => {
  const large = 'ü'.repeat(3 * 1024 * 1024);
  expect((await send([Buffer.from(large)])) === large).toBe(true);
  expect(await send([])).toBe('');
});

it('passes over what is broken off', async () => {
  const [before, seen, gone] = [bodies.length, begun, closed];
  const request = post().on('error', () => {});
  request.write('{"half":');
  await eventually(() => expect(begun).toBe(seen + 1));
  request.destroy();
  await eventually(() => expect(closed).toBe(gone + 1));
  expect(await send([Buffer.from('{}')])).toBe('{}');
  expect(bodies).toHaveLength(before + 1);
});
