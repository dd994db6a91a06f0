import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A folder in which the app that tells of its jobs is run; removed on disposal. */
export function createToldApp(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'belfry-told-'));
  const root = resolve(import.meta.dirname, '../..');
  // Handlers are named relative to the folder that the app runs in.
  for (const folder of ['lambdas', 'test']) symlinkSync(join(root, folder), join(path, folder));
  const app = join(root, 'test/support/told-app/app.ts');
  writeFileSync(join(path, 'cdk.json'), JSON.stringify({ app: `node "${app}"` }));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
