import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FunctionResource } from './resources.ts';

/**
 * Copies the functions' code out of the cloud assembly, to where it stays while the next one is written: an asset is named
 * by its content, so one that is there already is the same. Assets that no function uses any more are deleted.
 */
export function keepAssets(functions: readonly FunctionResource[], folder: string): FunctionResource[] {
  mkdirSync(folder, { recursive: true });
  const kept = functions.map((resource) => {
    const path = join(folder, basename(resource.codePath));
    if (!existsSync(path)) {
      cpSync(resource.codePath, `${path}.part`, { recursive: true });
      renameSync(`${path}.part`, path);
    }
    return { ...resource, codePath: path };
  });
  const used = new Set(kept.map(({ codePath }) => basename(codePath)));
  for (const name of readdirSync(folder)) {
    if (!used.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  return kept;
}
