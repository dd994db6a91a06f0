import { BelfryError } from '../../domain/errors.ts';

/** Where LocalStack and those like it listen. */
export const DEFAULT_ENDPOINT = 'http://127.0.0.1:4566';

/** What answers at an endpoint. `unknown` answers HTTP but is none of those we know. */
export interface EndpointIdentity {
  readonly kind: 'ministack' | 'localstack' | 'unknown';
  readonly version?: string;
  /** It fires schedules by itself, with the context attributes as literal text. */
  readonly firesItself: boolean;
}

/** How an SDK client reaches an endpoint. */
export interface EndpointSettings {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

type Variables = { readonly [name: string]: string | undefined };

/**
 * Settings from the usual variables, with the keys that emulators expect where there are none.
 * @throws BelfryError `MalformedEndpoint`, `NotAnEmulator`
 */
export function endpointSettings(endpoint: string | undefined, variables: Variables): EndpointSettings {
  const url = checkedEndpoint(endpoint ?? variables.AWS_ENDPOINT_URL ?? DEFAULT_ENDPOINT);
  const sessionToken = variables.AWS_SESSION_TOKEN;
  return {
    endpoint: url,
    region: variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION ?? 'us-east-1',
    credentials: {
      accessKeyId: variables.AWS_ACCESS_KEY_ID ?? 'test',
      secretAccessKey: variables.AWS_SECRET_ACCESS_KEY ?? 'test',
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
  };
}

function checkedEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new BelfryError('MalformedEndpoint', `'${text}' is no endpoint: give a URL like ${DEFAULT_ENDPOINT}`);
  }
  if (/\.amazonaws\.com(\.cn)?$|\.aws\.dev$|\.api\.aws$/.test(url.hostname)) {
    throw new BelfryError(
      'NotAnEmulator',
      `${url.hostname} is AWS itself, which fires its schedules on its own: driving them too would start every job twice; give the URL of an emulator, like ${DEFAULT_ENDPOINT}`,
    );
  }
  return url.href.replace(/\/$/, '');
}

/**
 * Asks an endpoint what it is.
 * @throws BelfryError `EndpointUnreachable`
 */
export async function identifyEndpoint(endpoint: string, timeoutMs = 3_000): Promise<EndpointIdentity> {
  const ministack = await healthOf(`${endpoint}/_ministack/health`, timeoutMs);
  if (ministack !== undefined) return { kind: 'ministack', ...versionOf(ministack), firesItself: true };
  const localstack = await healthOf(`${endpoint}/_localstack/health`, timeoutMs);
  if (localstack !== undefined) return { kind: 'localstack', ...versionOf(localstack), firesItself: false };
  return { kind: 'unknown', firesItself: false };
}

async function healthOf(url: string, timeoutMs: number): Promise<{ readonly version?: unknown } | undefined> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    const { origin } = new URL(url);
    throw new BelfryError(
      'EndpointUnreachable',
      `nothing answers at ${origin} (${reasonOf(error)}): start the emulator there (localstack/README.md), or name another with --endpoint or AWS_ENDPOINT_URL`,
      { cause: error },
    );
  }
  if (!response.ok) return undefined;
  try {
    const health: unknown = await response.json();
    return typeof health === 'object' && health !== null && 'services' in health
      ? (health as { readonly version?: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}

function versionOf(health: { readonly version?: unknown }): { readonly version?: string } {
  return typeof health.version === 'string' ? { version: health.version } : {};
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { readonly code?: unknown } | undefined;
  return typeof cause?.code === 'string'
    ? cause.code
    : error.name === 'TimeoutError'
      ? 'no answer in time'
      : error.message;
}
