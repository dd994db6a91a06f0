import { flushCompileCache } from 'node:module';
import { keepAlive, onHostMessage, tellHost } from './host-channel.ts';
import type { HostMessage } from './host-messages.ts';
import { beginFlight, endFlight } from './rest-watch.ts';

/**
 * Stands in for the native addon of aws-lambda-ric: the three calls it makes to the Runtime API, over the line to the
 * runtime instead of HTTP, which would be a third of what an invocation costs.
 */
interface Invocation {
  readonly bodyJson: string;
  readonly headers: { readonly [name: string]: string };
}

type Invoke = Extract<HostMessage, { kind: 'invoke' }>;

let isFirst = true;
let take: ((message: Invoke) => void) | undefined;

onHostMessage((message) => {
  if (message.kind === 'invoke') take?.(message);
});

export async function next(): Promise<Invocation> {
  const { promise, resolve } = Promise.withResolvers<Invoke>();
  take = resolve;
  keepAlive(true);
  tellHost({ kind: 'next' });
  const { payload, headers, clockOffset, mayRest } = await promise;
  keepAlive(false);
  beginFlight(clockOffset, mayRest);
  return { bodyJson: payload, headers };
}

export function done(requestId: string, body: string): void {
  endFlight();
  // With what the first invocation has compiled. Left to itself Node writes it at the end, and this process will be killed.
  if (isFirst) setImmediate(flushCompileCache);
  isFirst = false;
  tellHost({ kind: 'response', requestId, body });
}

export function error(requestId: string, body: string): void {
  endFlight();
  tellHost({ kind: 'error', requestId, body });
}
