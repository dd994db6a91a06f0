import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BelfryError } from '../../domain/errors.ts';
import { foreignRequest, refusalOf } from '../request-guard.ts';
import type { ConsoleSource } from './console-source.ts';
import { type PageBundle, pageBundle } from './page-bundle.ts';
import { PAGE_ICON, pageHtml, setPageHeaders } from './page-html.ts';

/** Port used unless another is asked for or it is taken. */
export const DEFAULT_CONSOLE_PORT = 4747;

const LARGEST_BODY_BYTES = 16 * 1024;
/** Proxies and sleeping laptops drop connections on which nothing is said. */
const KEEP_ALIVE_MS = 20_000;

/** The console: a page on loopback and what it needs. Only its own page may use it. */
export class ConsoleServer {
  readonly url: string;
  readonly #server: http.Server;
  readonly #port: number;
  readonly #token = randomBytes(24).toString('base64url');
  readonly #listeners = new Set<ServerResponse>();
  readonly #keepAlive: NodeJS.Timeout;
  #bundle: Promise<PageBundle> | undefined;
  #open: (() => Promise<ConsoleSource>) | undefined;
  #source: Promise<ConsoleSource> | undefined;
  #unsubscribe = () => {};

  private constructor(server: http.Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.#port}`;
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error: unknown) => fail(response, error));
    });
    this.#keepAlive = setInterval(() => this.#tell(': still here\n\n'), KEEP_ALIVE_MS).unref();
  }

  /**
   * Listens, so that a port that is taken is known at once. There is nothing to see before `show()`.
   *
   * @param port the one to use and no other; without one the default, or any when that is taken
   * @throws BelfryError `PortInUse`
   */
  static async listen(port?: number): Promise<ConsoleServer> {
    const server = http.createServer();
    try {
      await listen(server, port ?? DEFAULT_CONSOLE_PORT);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      if (port !== undefined) {
        const why = code === 'EACCES' ? 'needs more rights than you have' : 'is in use';
        throw new BelfryError(
          'PortInUse',
          `port ${port} ${why}: choose another with --port, or leave --port out for a free one`,
        );
      }
      await listen(server, 0);
    }
    return new ConsoleServer(server);
  }

  /**
   * From here on it shows this.
   *
   * @param open called once, when a page asks for the first time: most runs are never looked at
   */
  show(open: () => Promise<ConsoleSource>): void {
    this.#open = open;
  }

  close(): void {
    clearInterval(this.#keepAlive);
    this.#unsubscribe();
    for (const response of this.#listeners) response.end();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #tell(text: string): void {
    for (const response of this.#listeners) response.write(text);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', this.url);
    setPageHeaders(response);
    const foreign = foreignRequest(headers, this.#port);
    if (foreign !== undefined) return refuse(response, 403, 'ForeignRequest', foreign);
    if (method === 'GET' && (await this.#answerPage(url.pathname, response))) return;

    const token = url.searchParams.get('token') ?? (headers['x-belfry-token'] as string | undefined);
    const refusal = refusalOf({ headers, token }, { port: this.#port, token: this.#token });
    if (refusal !== undefined) return refuse(response, 403, 'WrongToken', refusal);
    this.#source ??= this.#open?.();
    const source = await this.#source;
    if (source === undefined) return refuse(response, 503, 'Starting', 'the runtime is starting');
    switch (`${method} ${url.pathname}`) {
      case 'GET /api/state':
        return sendJson(response, 200, await source.state());
      case 'GET /api/changes':
        return this.#listen(source, response);
      case 'GET /api/run': {
        const detail = await source.run(
          url.searchParams.get('job') ?? '',
          Number(url.searchParams.get('scheduledTime')),
        );
        if (detail === undefined) return refuse(response, 404, 'NoSuchRun', 'there is no record of this run yet');
        return sendJson(response, 200, detail);
      }
      case 'POST /api/command': {
        // Loaded here: the schemas are most of what the server is made of, and most runs are only watched.
        const { carryOut, parseCommand } = await import('./console-commands.ts');
        return sendJson(response, 200, { message: await carryOut(source, parseCommand(await readJson(request))) });
      }
      default:
        return refuse(response, 404, 'NotFound', `there is no ${method} ${url.pathname}`);
    }
  }

  async #answerPage(path: string, response: ServerResponse): Promise<boolean> {
    const send = (type: string, text: string) => {
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
      return true;
    };
    if (path === '/') return send('text/html', pageHtml(this.#token));
    if (path === '/icon.svg') return send('image/svg+xml', PAGE_ICON);
    if (path !== '/page.js' && path !== '/page.css') return false;
    this.#bundle ??= pageBundle();
    const { script, style } = await this.#bundle;
    return path === '/page.js' ? send('text/javascript', script) : send('text/css', style);
  }

  #listen(source: ConsoleSource, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    // While nobody looks, nothing is looked up.
    if (this.#listeners.size === 0) {
      this.#unsubscribe = source.subscribe((change) => this.#tell(`data: ${JSON.stringify(change)}\n\n`));
    }
    this.#listeners.add(response);
    response.on('close', () => {
      this.#listeners.delete(response);
      if (this.#listeners.size === 0) this.#unsubscribe();
    });
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

async function readJson(request: IncomingMessage): Promise<unknown> {
  // A form on another page can send text/plain without the browser asking first.
  if (!String(request.headers['content-type']).startsWith('application/json')) {
    throw new BelfryError('MalformedCommand', 'a command is JSON: set content-type to application/json');
  }
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > LARGEST_BODY_BYTES) throw new BelfryError('MalformedCommand', 'the command is too large');
  }
  try {
    return JSON.parse(body);
  } catch {
    throw new BelfryError('MalformedCommand', 'the command is not valid JSON');
  }
}

function fail(response: ServerResponse, error: unknown): void {
  if (error instanceof BelfryError) refuse(response, 400, error.code, error.message);
  else refuse(response, 500, 'Failed', error instanceof Error ? error.message : String(error));
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  sendJson(response, status, { code, message });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
}
