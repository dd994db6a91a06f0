import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A folder in which this project's own app is run, with state of its own; removed on disposal. */
export function createSampleApp(): { readonly path: string } & Disposable {
  const root = resolve(import.meta.dirname, '../..');
  const path = mkdtempSync(join(tmpdir(), 'belfry-sample-'));
  // Handlers are named relative to the folder that the app runs in.
  symlinkSync(join(root, 'lambdas'), join(path, 'lambdas'));
  writeFileSync(join(path, 'cdk.json'), JSON.stringify({ app: `node "${join(root, 'bin/app.ts')}"` }));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
