import { sendJson } from './aws-error.ts';
import type { EndpointRoute } from './endpoint-server.ts';

/** Ours, not AWS's. */
const PATH = 'belfry-clock';

/** Tells other programs on this machine what the runtime's clock shows. */
export function clockRoute(now: () => number): EndpointRoute {
  return async ({ method, path }, response) => {
    if (method !== 'GET' || path.join('/') !== PATH) return undefined;
    sendJson(response, 200, { now: now() });
    return true;
  };
}

/**
 * What the clock of the runtime with this endpoint shows, epoch milliseconds; undefined when it is not there any more, or
 * does not say.
 */
export async function askClock(endpoint: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${endpoint}/${PATH}`, { signal: AbortSignal.timeout(5_000) });
    const { now } = (await response.json()) as { readonly now?: unknown };
    return typeof now === 'number' ? now : undefined;
  } catch {
    return undefined;
  }
}
