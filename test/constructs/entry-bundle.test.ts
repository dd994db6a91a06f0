import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { EntryBundle } from '../../lib/constructs/bundle/entry-bundle.ts';
import { ScheduledJob } from '../../lib/constructs/scheduled-job.ts';
import { schedulerApp } from './scheduler-app.ts';

/** An app of so many jobs with handlers of their own, which share a module. */
function manyHandlers(count: number) {
  const created = schedulerApp();
  const { root, scheduler, stack, app } = created;
  writeFileSync(join(root, 'shared.ts'), `export const greet = (name) => '${'hello '.repeat(200)}' + name;\n`);
  for (let n = 0; n < count; n++) {
    const text = `import { greet } from './shared.ts';\nexport const handler = async () => greet('job ${n}');\n`;
    writeFileSync(join(root, `job-${n}.ts`), text);
    new ScheduledJob(scheduler, `job-${n}`, { schedule: '@daily', timeZone: 'UTC', entry: `job-${n}.ts` });
  }
  const { directory } = app.synth();
  const folders = new Map<string, string>();
  for (const { Properties } of Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'))) {
    folders.set(Properties.FunctionName, join(directory, `asset.${String(Properties.Code.S3Key).replace('.zip', '')}`));
  }
  return { ...created, folders };
}

function runHandler(folder: string | undefined): string {
  const script = `console.log(await (await import(${JSON.stringify(join(folder ?? '', 'index.mjs'))})).handler())`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }).trim();
}

function hashesOf(folders: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...folders].map(([name, folder]) => [name, folder.slice(folder.indexOf('asset.'))]));
}

describe('a few handlers', () => {
  test('are one file each', () => {
    const { folders } = manyHandlers(3);
    for (const folder of folders.values()) expect(readdirSync(folder)).toEqual(['index.mjs']);
    expect(runHandler(folders.get('belfry-test-job-2'))).toMatch(/hello job 2$/);
  });
});

describe('many handlers', () => {
  test('have what they share beside them, bundled in the same single pass', () => {
    const { app, folders } = manyHandlers(17);
    expect(EntryBundle.of(app).passes).toBe(1);
    const files = [...folders.values()].map((folder) => readdirSync(folder).sort());
    expect(files.every(([index, shared]) => index === 'index.mjs' && /^shared-\w+\.mjs$/.test(shared ?? ''))).toBe(
      true,
    );
    expect(runHandler(folders.get('belfry-test-job-16'))).toMatch(/hello job 16$/);
  });

  test('take up the shared part once on disk', () => {
    const { folders } = manyHandlers(17);
    const inodes = [...folders.values()].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.startsWith('shared-'))
        .map((name) => statSync(join(folder, name)).ino),
    );
    expect(inodes).toHaveLength(17);
    expect(new Set(inodes).size).toBe(1);
  });

  test('keep their assets when another comes', () => {
    const before = hashesOf(manyHandlers(17).folders);
    const after = hashesOf(manyHandlers(18).folders);
    expect([...before].filter(([name, hash]) => after.get(name) !== hash)).toEqual([]);
  });
});
