import { request } from 'node:http';
import { expect, test } from 'vitest';
import { EndpointServer } from '../../../lib/local/endpoints/endpoint-server.ts';

/** `fetch` would not send the headers that matter here. */
function invoke(url: string, headers: { readonly [name: string]: string }): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const path = `${url}/2015-03-31/functions/dev-report/invocations`;
    const asked = request(path, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end('{}');
  });
}

test.each([
  ['a program here', {}, 202],
  ['a program here, by another name', { host: 'localhost:PORT' }, 202],
  ['a page elsewhere', { origin: 'https://evil.example', 'content-type': 'text/plain' }, 403],
  ['a page elsewhere that hides its origin', { 'sec-fetch-site': 'cross-site' }, 403],
  ['a page elsewhere under a name that was bound anew', { host: 'evil.example:PORT' }, 403],
])('%s', async (_, headers: { readonly [name: string]: string }, expected) => {
  let invoked = 0;
  const server = await EndpointServer.listen([
    async (_request, response) => {
      invoked++;
      response.writeHead(202).end();
      return true;
    },
  ]);
  const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(server.port))]);
  const status = await invoke(server.url, Object.fromEntries(sent));
  server.close();
  expect({ status, invoked }).toEqual({ status: expected, invoked: expected === 202 ? 1 : 0 });
});
