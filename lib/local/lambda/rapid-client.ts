import http from 'node:http';
import { setClockOffset } from './virtual-date.ts';

/**
 * Stands in for the native addon of aws-lambda-ric: the three calls it makes to the Runtime API. One connection carries
 * them, so that a response is always sent before the next invocation is asked for.
 */
const [host, port] = (process.env.AWS_LAMBDA_RUNTIME_API ?? '').split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

interface Invocation {
  readonly bodyJson: string;
  readonly headers: http.IncomingHttpHeaders;
}

function call(method: string, path: string, body?: string): Promise<Invocation> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host,
        port,
        agent,
        method,
        path: `/2018-06-01/runtime/invocation/${path}`,
        headers:
          body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let bodyJson = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          bodyJson += chunk;
        });
        response.on('end', () => resolve({ bodyJson, headers: response.headers }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

export async function next(): Promise<Invocation> {
  const invocation = await call('GET', 'next');
  setClockOffset(Number(invocation.headers['belfry-clock-offset-ms'] ?? 0));
  delete invocation.headers['belfry-clock-offset-ms'];
  return invocation;
}

export function done(requestId: string, body: string): void {
  call('POST', `${requestId}/response`, body).catch(endOrphan);
}

export function error(requestId: string, body: string): void {
  call('POST', `${requestId}/error`, body).catch(endOrphan);
}

/** Nobody is left to answer to. */
function endOrphan(): void {
  process.exit(1);
}
