import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface PageBundle {
  readonly script: string;
  readonly style: string;
}

const FOLDER = new URL('./page/', import.meta.url);

/** The page's script and style: as the published package carries them, or bundled now from their sources. */
export async function pageBundle(): Promise<PageBundle> {
  const [script, style] = ['page.js', 'page.css'].map((name) => new URL(`bundled/${name}`, FOLDER));
  if (script !== undefined && style !== undefined && existsSync(script)) {
    return { script: readFileSync(script, 'utf8'), style: readFileSync(style, 'utf8') };
  }
  return bundlePage();
}

/** Bundles the page with everything it uses: it asks nobody else for anything. */
export async function bundlePage(): Promise<PageBundle> {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(FOLDER),
    entryPoints: { page: 'page.tsx' },
    outdir: 'bundled',
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'eof',
    logLevel: 'silent',
  });
  // The bundler is a process of its own, and not needed again.
  await stop();
  const find = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: find('.js'), style: find('.css') };
}
