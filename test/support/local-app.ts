import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface FixtureJob {
  readonly name: string;
  /** Exported function of `functions/index.mjs`. */
  readonly handler: string;
  /** As EventBridge takes it. */
  readonly expression: string;
  readonly timeZone?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly memory?: number;
  readonly retries?: number;
  /** Not a job: what it is fired for is nobody's run. */
  readonly watchdog?: boolean;
}

/** What cdk.json's context may ask of the app. */
export interface FixtureContext {
  readonly jobs?: readonly FixtureJob[];
  /** Makes the app fail with this message. */
  readonly fail?: string;
  /** Declares the table without its sort key. */
  readonly hashOnly?: boolean;
}

/** A folder with a CDK app of these jobs, removed on disposal. */
export function createLocalApp(context: {
  readonly jobs?: readonly FixtureJob[];
  readonly fail?: string;
}): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'belfry-local-'));
  const app = fileURLToPath(new URL('./local-app/app.ts', import.meta.url));
  writeFileSync(join(path, 'cdk.json'), JSON.stringify({ app: `node "${app}"`, context }));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
