import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { planCommand } from '../../lib/cli/plan.ts';
import { inProcess } from '../support/in-process-cli.ts';
import { PLAN_JOBS, planAssembly } from '../support/plan-assembly.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/plan.md');
const EXAMPLE = /```console\n\$ belfry (plan .*)\n([\s\S]*?)```/;

/** With UPDATE_DOCS the page is given what comes out now. */
test('the example of docs/plan.md comes out as it says', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const [, command = '', wanted] = EXAMPLE.exec(page) ?? [];
  const { 'db-cleanup': _removed, ...others } = PLAN_JOBS;
  const folders = new Map([
    ['main/cdk.out', planAssembly(PLAN_JOBS)],
    [
      'cdk.out',
      planAssembly({
        ...others,
        'invoice-dunning': { ...PLAN_JOBS['invoice-dunning'], timeZone: 'Europe/London' },
        'price-sync': { ...PLAN_JOBS['price-sync'], overlap: 'allow' },
      }),
    ],
  ]);
  const args = command.split(' ').map((arg) => folders.get(arg) ?? arg);
  const { stdout, code } = await inProcess([planCommand], args, {});
  const text = [...folders].reduce((all, [name, path]) => all.replaceAll(path, name), stdout);
  if (process.env.UPDATE_DOCS !== undefined) {
    writeFileSync(
      PAGE,
      page.replace(EXAMPLE, () => `\`\`\`console\n$ belfry ${command}\n${text}\`\`\``),
    );
    return;
  }
  expect(code).toBe(0);
  expect(text).toBe(wanted);
});

test('docs/plan.md lists every rule by which a deployment gets stuck', () => {
  const root = resolve(import.meta.dirname, '../..');
  const sources = globSync(['lib/domain/update/*.ts', 'lib/domain/plan/obstacle.ts'], { cwd: root });
  const rules = sources.flatMap((file) =>
    [...readFileSync(resolve(root, file), 'utf8').matchAll(/\brule: '(\w+)'/g)].map(([, rule = '']) => rule),
  );
  const listed = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, rule = '']) => rule);
  expect(listed.sort()).toEqual([...new Set(rules)].sort());
});
