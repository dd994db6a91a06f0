import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** Where the packages of a file are looked for, and how those that are CommonJS are read there. */
export interface PackageHome {
  readonly folder: string;
  /** As Node does it for modules: the default export of a CommonJS package is all of it. */
  readonly isModule: boolean;
}

/** Whether the modules beside a package.json are ES modules. Undefined without one. */
function typeOf(file: string): boolean | undefined {
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly type?: unknown }).type === 'module';
}

/** By folder, so that the files of many jobs are not looked at one by one. */
export class PackageHomes {
  private readonly known = new Map<string, PackageHome>();

  /** @param file absolute path */
  of(file: string): PackageHome {
    const home = this.ofFolder(dirname(file));
    const extension = extname(file);
    if (extension.startsWith('.m')) return { ...home, isModule: true };
    return extension.startsWith('.c') ? { ...home, isModule: false } : home;
  }

  private ofFolder(folder: string): PackageHome {
    const known = this.known.get(folder);
    if (known !== undefined) return known;
    const parent = dirname(folder);
    const above = parent === folder ? { folder, isModule: false } : this.ofFolder(parent);
    const isModule = typeOf(join(folder, 'package.json'));
    const isHome = isModule !== undefined || existsSync(join(folder, 'node_modules'));
    const home = isHome ? { folder, isModule: isModule ?? above.isModule } : above;
    this.known.set(folder, home);
    return home;
  }
}
