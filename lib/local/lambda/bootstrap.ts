/**
 * First module of a job's process: AWS's own runtime client on our clock. It leaves nothing of itself in the environment
 * that the handler sees.
 *
 * argv: virtual minus real time, milliseconds.
 */
import { registerHooks } from 'node:module';
import { watchRest } from './rest-watch.ts';
import { installVirtualDate } from './virtual-date.ts';
import { installVirtualTimers } from './virtual-timers.ts';

installVirtualDate(Number(process.argv[2] ?? 0));
installVirtualTimers();
watchRest();
process.argv.length = 2;
delete process.env.NODE_COMPILE_CACHE;

const rapidClient = import.meta.resolve(`./rapid-client${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`);
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier.endsWith('rapid-client.node')
      ? { url: rapidClient, shortCircuit: true }
      : nextResolve(specifier, context),
});

await import(import.meta.resolve('aws-lambda-ric'));
