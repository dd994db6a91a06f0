/**
 * First module of a job's process: AWS's own runtime client on our clock. It leaves nothing of itself in the environment
 * that the handler sees.
 *
 * argv: virtual minus real time, milliseconds; folder in which Node keeps compiled code, if it is to.
 */
import { enableCompileCache, registerHooks } from 'node:module';
import { installVirtualDate, setClockOffset } from './virtual-date.ts';

const [, , clockOffset = '0', compileCache] = process.argv;
if (compileCache !== undefined) enableCompileCache(compileCache);
setClockOffset(Number(clockOffset));
installVirtualDate();
process.argv.length = 2;

// The runtime holds the other end of stdin. It closes when the runtime is gone, however that ended; without it this
// process would wait for ever.
process.stdin.on('end', () => process.exit(1)).on('error', () => process.exit(1));
process.stdin.resume();
(process.stdin as unknown as { unref?: () => void }).unref?.();

const rapidClient = import.meta.resolve(`./rapid-client${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`);
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier.endsWith('rapid-client.node')
      ? { url: rapidClient, shortCircuit: true }
      : nextResolve(specifier, context),
});

await import(import.meta.resolve('aws-lambda-ric'));
