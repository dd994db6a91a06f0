import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { endpointSettings, identifyEndpoint } from '../../../lib/local/drive/endpoint.ts';

describe('settings', () => {
  test('the flag wins over AWS_ENDPOINT_URL, which wins over the usual port', () => {
    expect(endpointSettings('http://127.0.0.1:1/', { AWS_ENDPOINT_URL: 'http://127.0.0.1:2' }).endpoint).toBe(
      'http://127.0.0.1:1',
    );
    expect(endpointSettings(undefined, { AWS_ENDPOINT_URL: 'http://127.0.0.1:2' }).endpoint).toBe('http://127.0.0.1:2');
    expect(endpointSettings(undefined, {}).endpoint).toBe('http://127.0.0.1:4566');
  });

  test.each(['https://scheduler.eu-west-1.amazonaws.com', 'https://lambda.cn-north-1.amazonaws.com.cn'])(
    'AWS itself is refused: %s',
    (url) => {
      expect(() => endpointSettings(url, {})).toThrow(/is AWS itself/);
    },
  );

  test.each(['4566', '127.0.0.1:4566', 'ftp://127.0.0.1'])('what is no URL is refused: %s', (text) => {
    expect(() => endpointSettings(text, {})).toThrow(/is no endpoint: give a URL like/);
  });
});

describe('what answers', () => {
  const servers: http.Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serve(answers: { readonly [path: string]: object }): Promise<string> {
    const server = http.createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test('ministack, which fires schedules itself, is known although it answers as LocalStack too', async () => {
    const health = { services: {}, version: '1.5.33' };
    const url = await serve({ '/_ministack/health': health, '/_localstack/health': health });
    expect(await identifyEndpoint(url)).toEqual({ kind: 'ministack', version: '1.5.33', firesItself: true });
  });

  test('LocalStack is known', async () => {
    const url = await serve({ '/_localstack/health': { services: {}, version: '4.14.0' } });
    expect(await identifyEndpoint(url)).toEqual({ kind: 'localstack', version: '4.14.0', firesItself: false });
  });

  test('something else is unknown', async () => {
    expect(await identifyEndpoint(await serve({ '/_localstack/health': { hello: 'world' } }))).toMatchObject({
      kind: 'unknown',
    });
  });

  test('nothing is an error that says what to do', async () => {
    const url = await serve({});
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    await expect(identifyEndpoint(url)).rejects.toThrow(/nothing answers at http:.*ECONNREFUSED.*start the emulator/);
  });
});
