import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface GuardedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The token that came with it. */
  readonly token: string | undefined;
}

export interface Guard {
  readonly port: number;
  /** Made anew at every start; the page carries it. */
  readonly token: string;
}

/**
 * Why a request is not from this console's own page, or undefined when it may pass. A page elsewhere cannot read the
 * token (its origin is another), cannot pass as this host under a name of its own (DNS rebinding), and is named by the
 * browser in `Origin` and `Sec-Fetch-Site`.
 */
export function refusalOf({ headers, token }: GuardedRequest, guard: Guard): string | undefined {
  return (
    foreignRequest(headers, guard.port) ??
    (sameText(token ?? '', guard.token)
      ? undefined
      : 'the token is missing or of another start: open the console again')
  );
}

/** Why a request does not come from a program on this machine, or from a page that it was asked for itself. */
export function foreignRequest(headers: IncomingHttpHeaders, port: number): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (!hosts.includes(headers.host ?? ''))
    return `this is not ${headers.host ?? 'without a name'}, but http://127.0.0.1:${port}`;
  if (headers.origin !== undefined && !hosts.some((host) => headers.origin === `http://${host}`))
    return `a page of ${headers.origin} may not use this`;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return `another site (${String(site)}) may not use this`;
  return undefined;
}

function sameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
