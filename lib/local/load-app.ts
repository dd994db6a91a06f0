import { readCloudAssembly } from './assembly/cloud-assembly.ts';
import { keepAssets } from './assembly/keep-assets.ts';
import { readResources } from './assembly/read-resources.ts';
import type { LocalResources } from './assembly/resources.ts';
import { synthesise } from './assembly/synthesise.ts';
import type { StateFolder } from './state-folder.ts';

/**
 * Synthesises the app and reads what one of its environments is made of.
 * @throws BelfryError when the app fails, or has no such environment; `FolderNotWritable`
 */
export async function loadApp(
  projectFolder: string,
  environment: string,
  folder: StateFolder,
): Promise<LocalResources> {
  const outdir = folder.file('cdk.out');
  await synthesise({
    projectFolder,
    outdir,
    environment,
    compileCache: folder.compileCache,
    bundleCache: folder.file('bundles'),
  });
  const resources = readResources(readCloudAssembly(outdir, environment));
  const functions = folder.guard(() => keepAssets(resources.functions, folder.file('assets')));
  return { ...resources, functions };
}
