import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { BelfryError } from '../../domain/errors.ts';
import { foreignRequest } from '../request-guard.ts';
import { AwsError, sendAwsError } from './aws-error.ts';
import { wholeBody } from './whole-body.ts';

export interface EndpointRequest {
  readonly method: string;
  /** Decoded path segments. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request that is its own; undefined when it is not. */
export type EndpointRoute = (request: EndpointRequest, response: http.ServerResponse) => Promise<true | undefined>;

/** The loopback server for every AWS service but DynamoDB. What no route knows is refused as AWS refuses it. */
export class EndpointServer {
  readonly url: string;
  readonly port: number;
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
  }

  /**
   * @param port the one to use and no other; without one any that is free
   * @throws BelfryError `PortInUse`
   */
  static async listen(routes: readonly EndpointRoute[], port?: number): Promise<EndpointServer> {
    const server = http.createServer((request, response) => {
      answer(routes, request, response).catch((error: unknown) => {
        sendAwsError(response, error instanceof AwsError ? error : new AwsError(500, 'InternalFailure', String(error)));
      });
    });
    server.keepAliveTimeout = 0;
    try {
      await listen(server, port ?? 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' && (error as NodeJS.ErrnoException).code !== 'EACCES')
        throw error;
      const why = (error as NodeJS.ErrnoException).code === 'EACCES' ? 'needs more rights than you have' : 'is in use';
      throw new BelfryError(
        'PortInUse',
        `port ${port} ${why}: choose another with --endpoint-port, or leave --endpoint-port out for a free one`,
      );
    }
    return new EndpointServer(server);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function listen(server: http.Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function answer(
  routes: readonly EndpointRoute[],
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  // A page elsewhere could invoke functions with a form: browsers send one without asking first.
  const foreign = foreignRequest(request.headers, request.socket.localPort ?? 0);
  if (foreign !== undefined) throw new AwsError(403, 'AccessDeniedException', foreign);
  const url = new URL(request.url ?? '/', 'http://local');
  const received: EndpointRequest = {
    method: request.method ?? 'GET',
    path: url.pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent),
    query: url.searchParams,
    headers: request.headers,
    body: await new Promise<string>((resolve) => wholeBody(request, resolve)),
  };
  response.setHeader('x-amzn-requestid', randomUUID());
  for (const route of routes) {
    if ((await route(received, response)) === true) return;
  }
  const call = String(request.headers['x-amz-target'] ?? `${received.method} ${url.pathname}`);
  throw new AwsError(
    400,
    'UnknownOperationException',
    `the local runtime has no ${call}: it answers DynamoDB, Lambda Invoke and EventBridge Scheduler`,
  );
}
