import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EndpointIdentity,
  type EndpointSettings,
  endpointSettings,
  identifyEndpoint,
} from '../lib/local/drive/endpoint.ts';

/** The folder with cdk.json. */
export const projectFolder = join(import.meta.dirname, '..');

/**
 * Settings from localstack/.env and the environment, which wins. Keys of your own are never sent: each emulator gets one
 * of its port, because the CDK CLI remembers accounts by key.
 */
export function emulatorSettings(): EndpointSettings {
  const file = join(import.meta.dirname, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  const { AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const settings = endpointSettings(undefined, { AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION });
  const port = new URL(settings.endpoint).port;
  return { ...settings, credentials: { accessKeyId: `test${port}`, secretAccessKey: 'test' } };
}

/** Variables with which the CDK CLI, and everything on the SDK, talks to the emulator and to nothing else. */
export function emulatorVariables({ endpoint, region, credentials }: EndpointSettings): NodeJS.ProcessEnv {
  const { AWS_PROFILE: _profile, AWS_SESSION_TOKEN: _token, ...inherited } = process.env;
  return {
    ...inherited,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** Waits until the emulator answers, for up to a minute. */
export async function untilReady(endpoint: string): Promise<EndpointIdentity> {
  for (let second = 0; ; second++) {
    try {
      return await identifyEndpoint(endpoint);
    } catch (error) {
      if (second >= 60) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}
