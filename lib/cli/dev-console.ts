import { spawn } from 'node:child_process';
import type { RuntimeSource } from '../local/console/runtime-source.ts';
import type { LocalEvent } from '../local/local-event.ts';
import type { LocalRuntime } from '../local/local-runtime.ts';

/** The console of a dev run. */
export interface DevConsole {
  readonly url: string;
  show(runtime: LocalRuntime): Promise<void>;
  /** To be called with everything that the runtime tells. */
  accept(event: LocalEvent): void;
  close(): void;
}

/**
 * @param port the one to use and no other; without one the default, or any when that is taken
 * @throws BelfryError `PortInUse`
 */
export async function startConsole(port: number | undefined): Promise<DevConsole> {
  const { ConsoleServer } = await import('../local/console/console-server.ts');
  const server = await ConsoleServer.listen(port);
  let source: RuntimeSource | undefined;
  return {
    url: server.url,
    show: async (runtime) => {
      const { RuntimeSource } = await import('../local/console/runtime-source.ts');
      source = new RuntimeSource(runtime.inside);
      server.show(source);
    },
    accept: (event) => source?.accept(event),
    close: () => {
      server.close();
      source?.close();
    },
  };
}

const OPENERS: { readonly [platform: string]: readonly string[] } = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Shows a page in the person's browser; says so when there is none to be had. */
export function openInBrowser(url: string, onFailed: (text: string) => void): void {
  const [command = 'xdg-open', ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...before, url], { stdio: 'ignore', detached: true });
  child.once('error', () => onFailed(`no browser could be opened (${command} is not there): open ${url} yourself`));
  child.once('exit', (code) => {
    if (code !== 0) onFailed(`no browser could be opened (${command} ended with ${code}): open ${url} yourself`);
  });
  child.unref();
}
