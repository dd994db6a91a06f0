import http from 'node:http';
import type { AddressInfo } from 'node:net';

const PREFIX = '/2018-06-01/runtime/';

export interface HandedInvocation {
  readonly requestId: string;
  readonly payload: string;
  readonly functionArn: string;
  /** Virtual instant at which the function will have timed out. */
  readonly deadline: number;
  readonly clockOffset: number;
}

export interface RuntimeApiEvents {
  /** The process asks for work. The answer may come much later. */
  readonly next: (hand: (invocation: HandedInvocation) => void) => void;
  readonly response: (requestId: string, body: string) => void;
  readonly error: (requestId: string, body: string) => void;
  readonly initError: (body: string) => void;
}

/**
 * The Lambda Runtime API for one execution environment, on a loopback port of its own: for what the runtime client sends
 * by HTTP (init errors, streamed responses) and for whoever else asks. Its `next` and its answers come over a pipe.
 */
export class RuntimeApi {
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
  }

  static async listen(events: RuntimeApiEvents): Promise<RuntimeApi> {
    const server = http.createServer((request, response) => route(events, request, response));
    // The process may think for minutes between two requests.
    server.keepAliveTimeout = 0;
    server.requestTimeout = 0;
    server.timeout = 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new RuntimeApi(server);
  }

  /** What goes into AWS_LAMBDA_RUNTIME_API. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function route(events: RuntimeApiEvents, request: http.IncomingMessage, response: http.ServerResponse): void {
  const path = request.url?.startsWith(PREFIX) === true ? request.url.slice(PREFIX.length) : '';
  if (request.method === 'GET' && path === 'invocation/next') {
    events.next((invocation) => hand(invocation, response));
    return;
  }
  const [kind, requestId, verb] = path.split('/');
  const receive = receiver(events, kind, requestId, verb);
  if (request.method === 'POST' && receive !== undefined) read(request, response, receive);
  else refuse(response);
}

function receiver(
  events: RuntimeApiEvents,
  kind: string | undefined,
  requestId: string | undefined,
  verb: string | undefined,
): ((body: string) => void) | undefined {
  if (kind === 'init' && requestId === 'error') return events.initError;
  if (kind !== 'invocation' || requestId === undefined) return undefined;
  if (verb === 'response') return (body) => events.response(requestId, body);
  if (verb === 'error') return (body) => events.error(requestId, body);
  return undefined;
}

/** What the Runtime API tells of an invocation beside its event. */
export function invocationHeaders({
  requestId,
  deadline,
  functionArn,
}: Pick<HandedInvocation, 'requestId' | 'deadline' | 'functionArn'>): Record<string, string> {
  const root = `1-${Math.trunc(deadline / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`;
  return {
    'lambda-runtime-aws-request-id': requestId,
    'lambda-runtime-deadline-ms': String(deadline),
    'lambda-runtime-invoked-function-arn': functionArn,
    'lambda-runtime-trace-id': `Root=${root};Sampled=0`,
  };
}

function hand(invocation: HandedInvocation, response: http.ServerResponse): void {
  const body = Buffer.from(invocation.payload);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...invocationHeaders(invocation),
  });
  response.end(body);
}

function read(request: http.IncomingMessage, response: http.ServerResponse, done: (body: string) => void): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': 16 });
    response.end('{"status":"OK"}\n');
    done(body);
  });
}

function refuse(response: http.ServerResponse): void {
  const body = JSON.stringify({ errorType: 'NotFound', errorMessage: 'the Runtime API has no such call' });
  response.writeHead(404, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
