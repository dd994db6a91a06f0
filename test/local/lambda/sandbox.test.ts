import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { FunctionResource } from '../../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../../lib/local/clock/virtual-clock.ts';
import { EnvironmentPool } from '../../../lib/local/lambda/environment-pool.ts';
import { readErrorPayload } from '../../../lib/local/lambda/invocation-outcome.ts';
import type { LambdaFunction } from '../../../lib/local/lambda/lambda-function.ts';
import { MemoryWatch } from '../../../lib/local/lambda/memory-watch.ts';
import { sandboxFunction } from '../../support/sandbox-function.ts';

const FROM = Date.parse('2026-10-31T23:00:00Z');

let codePath: string;
let pool = new EnvironmentPool(4);
const memory = new MemoryWatch();
const lines: string[] = [];

beforeAll(() => {
  codePath = mkdtempSync(join(tmpdir(), 'belfry-code-'));
  cpSync(fileURLToPath(new URL('../../support/local-app/functions', import.meta.url)), codePath, { recursive: true });
  writeFileSync(join(codePath, 'legacy.cjs'), "exports.handler = async () => 'from CommonJS';\n");
});
afterEach(async () => {
  await pool.close();
  pool = new EnvironmentPool(4);
  lines.length = 0;
});
afterAll(() => {
  memory.close();
  rmSync(codePath, { recursive: true, force: true });
});

function functionOf(handler: string, overrides: Partial<FunctionResource> = {}, clock = new VirtualClock()) {
  return sandboxFunction({ handler, codePath, clock, pool, memory, overrides, onLine: (line) => lines.push(line) });
}

interface Look {
  readonly environment: Record<string, string>;
  readonly [key: string]: unknown;
}

async function look(lambda: LambdaFunction, event: object = {}): Promise<Look> {
  const outcome = await lambda.invoke('r-1', JSON.stringify(event));
  expect(outcome).toMatchObject({ ok: true });
  return JSON.parse(outcome.payload) as Look;
}

it('runs the bundle under the runtime client, with the context that Lambda gives', async () => {
  const seen = await look(functionOf('index.look'));
  expect(seen).toMatchObject({
    functionName: 'dev-job',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:dev-job',
    requestId: 'r-1',
    cwd: codePath,
    argv: [],
    invocations: 1,
  });
  expect(seen.remaining).toBeGreaterThan(4_000);
  expect(seen.remaining).toBeLessThanOrEqual(5_000);
});

it('shows the process nothing of the host environment', async () => {
  process.env.HOST_SECRET = 'do not tell';
  try {
    const { environment } = await look(functionOf('index.look'));
    for (const [name, value] of Object.entries(process.env)) {
      if (['PATH', 'LANG', 'TZ'].includes(name)) continue;
      expect([name, environment[name]], name).not.toEqual([name, value]);
    }
    expect(environment).toMatchObject({
      BELFRY_TABLE: 'dev-runs',
      AWS_LAMBDA_FUNCTION_NAME: 'dev-job',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:2',
      TZ: ':UTC',
    });
    expect(Object.keys(environment).filter((name) => /belfry/i.test(name))).toEqual(['BELFRY_TABLE']);
  } finally {
    delete process.env.HOST_SECRET;
  }
});

it('uses a process again, and starts more for invocations at the same time', async () => {
  const lambda = functionOf('index.look');
  expect((await look(lambda)).invocations).toBe(1);
  expect((await look(lambda)).invocations).toBe(2);
  const together = await Promise.all([look(lambda, { wait: 300 }), look(lambda, { wait: 300 })]);
  expect(together.map((seen) => seen.invocations).sort()).toEqual([1, 3]);
});

it('lets invocations wait while the machine is full, and loses none', async () => {
  pool = new EnvironmentPool(2);
  const one = functionOf('index.look', { name: 'one' });
  const other = functionOf('index.look', { name: 'other' });
  const seen = await Promise.all(
    Array.from({ length: 6 }, (_, index) => look(index % 2 === 0 ? one : other, { wait: 20 })),
  );
  expect(seen).toHaveLength(6);
});

it('lives on virtual time: Date in the process, the deadline, and again after the clock has jumped', async () => {
  const clock = new VirtualClock({ from: FROM });
  const lambda = functionOf('index.look', {}, clock);
  const before = await look(lambda);
  expect(before.now).toBeGreaterThanOrEqual(FROM);
  expect(before.now).toBeLessThan(FROM + 5_000);
  expect(String(before.date)).toMatch(/^2026-10-31T23:00:0/);
  expect(before.isDate).toBe(true);
  expect(before.remaining).toBeGreaterThan(3_000);

  clock.start();
  clock.pause();
  clock.schedule(FROM + 7 * 86_400_000, () => {});
  clock.step();
  const after = await look(lambda);
  expect(after.invocations).toBe(2);
  expect(after.now).toBeGreaterThanOrEqual(FROM + 7 * 86_400_000);
  expect(after.now).toBeLessThan(FROM + 7 * 86_400_000 + 5_000);
  clock.stop();
});

it('kills an invocation at its timeout and starts anew', async () => {
  for (const handler of ['index.hang', 'index.spin']) {
    const lambda = functionOf(handler, { timeoutMs: 700 });
    const outcome = await lambda.invoke('r-7', '{}');
    expect(outcome).toMatchObject({ ok: false, failure: 'timeout' });
    expect(readErrorPayload(outcome.payload)).toEqual({
      errorType: 'Sandbox.Timedout',
      errorMessage: 'RequestId: r-7 Error: Task timed out after 0.70 seconds',
    });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(700);
  }
  expect(lines.join('\n')).toContain('Status: timeout');
});

it('says how a process ended that ended by itself', async () => {
  const outcome = await functionOf('index.crash').invoke('r-8', '{}');
  expect(outcome).toMatchObject({ ok: false, failure: 'exit' });
  expect(readErrorPayload(outcome.payload)).toEqual({
    errorType: 'Runtime.ExitError',
    errorMessage: 'RequestId: r-8 Error: Runtime exited with error: exit status 3',
  });
});

it('hands back what a handler throws, and goes on in the same process', async () => {
  const lambda = functionOf('index.throws');
  const outcome = await lambda.invoke('r-9', '{"job":"beat"}');
  expect(outcome).toMatchObject({ ok: false, failure: 'error' });
  expect(readErrorPayload(outcome.payload)).toEqual({ errorType: 'OrderMissing', errorMessage: 'no order for beat' });
  expect(lines.some((line) => /^\d{4}-\d{2}-\d{2}T.*\tr-9\tERROR\tabout to fail$/.test(line))).toBe(true);
});

it.runIf(process.platform === 'linux')('kills a process that takes more memory than it has', async () => {
  const outcome = await functionOf('index.greedy', { memoryMb: 160 }).invoke('r-10', '{}');
  expect(outcome).toMatchObject({ ok: false, failure: 'exit' });
  expect(readErrorPayload(outcome.payload).errorMessage).toContain('signal: killed');
  expect(outcome.maxMemoryMb).toBeGreaterThan(160);
});

it('reports code that does not load, and a handler that is not there', async () => {
  const broken = await functionOf('broken.handler').invoke('r-11', '{}');
  expect(broken).toMatchObject({ ok: false, failure: 'init' });
  expect(readErrorPayload(broken.payload)).toEqual({
    errorType: 'TypeError',
    errorMessage: 'the module does not load',
  });

  const absent = await functionOf('index.absent').invoke('r-12', '{}');
  expect(absent).toMatchObject({ ok: false, failure: 'init' });
  expect(readErrorPayload(absent.payload).errorType).toBe('Runtime.HandlerNotFound');
});

it('runs CommonJS handlers too', async () => {
  const outcome = await functionOf('legacy.handler').invoke('r-13', '{}');
  expect(outcome).toMatchObject({ ok: true, payload: '"from CommonJS"' });
});

it('gives each process a folder for temporary files that lasts as long as the process', async () => {
  const first = await look(functionOf('index.temporary'), { write: 'kept' });
  const again = await look(functionOf('index.temporary'));
  expect(again).toEqual({ folder: first.folder, kept: 'kept' });
  const other = await look(functionOf('index.temporary', { name: 'other' }));
  expect(other.folder).not.toBe(first.folder);
  expect(other.kept).toBeUndefined();
  await pool.close();
  expect([first.folder, other.folder].map((folder) => existsSync(String(folder)))).toEqual([false, false]);
});
