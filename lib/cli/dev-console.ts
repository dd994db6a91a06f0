import { spawn } from 'node:child_process';
import { ConsoleNews } from '../local/console/console-news.ts';
import type { RuntimeSource } from '../local/console/runtime-source.ts';
import type { LocalEvent } from '../local/local-event.ts';
import type { LocalRuntime } from '../local/local-runtime.ts';

/** The console of a dev run. */
export interface DevConsole {
  readonly url: string;
  show(runtime: LocalRuntime): void;
  /** To be called with everything that the runtime tells. */
  accept(event: LocalEvent): void;
  close(): void;
}

/**
 * @param port the one to use and no other; without one the default, or any when that is taken
 * @param now the runtime's clock
 * @throws BelfryError `PortInUse`
 */
export async function startConsole(port: number | undefined, now: () => number): Promise<DevConsole> {
  const { ConsoleServer } = await import('../local/console/console-server.ts');
  const server = await ConsoleServer.listen(port);
  const news = new ConsoleNews(now);
  let source: RuntimeSource | undefined;
  return {
    url: server.url,
    show: (runtime) =>
      server.show(async () => {
        // It brings the SDK, which takes up memory and time that a run without a page has no use for.
        const { RuntimeSource } = await import('../local/console/runtime-source.ts');
        source = new RuntimeSource(runtime.inside, news);
        return source;
      }),
    accept: (event) => {
      news.accept(event);
      source?.accept(event);
    },
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
