import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { planCommand } from '../../lib/cli/plan.ts';
import { inProcess } from '../support/in-process-cli.ts';
import { PLAN_JOBS, planAssembly } from '../support/plan-assembly.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/plan.md');
const EXAMPLE = /```console\n\$ belfry (plan .*)\n([\s\S]*?)```/g;

/** The folders that the examples name. */
function folders(): ReadonlyMap<string, string> {
  const { 'db-cleanup': _removed, ...others } = PLAN_JOBS;
  return new Map([
    ['main/cdk.out', planAssembly(PLAN_JOBS)],
    ['moved/cdk.out', planAssembly(PLAN_JOBS, 'Jobs')],
    [
      'cdk.out',
      planAssembly({
        ...others,
        'invoice-dunning': { ...PLAN_JOBS['invoice-dunning'], timeZone: 'Europe/London' },
        'price-sync': { ...PLAN_JOBS['price-sync'], overlap: 'allow' },
      }),
    ],
  ]);
}

/** With UPDATE_DOCS the page is given what comes out now. */
test('the examples of docs/plan.md come out as they say', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const paths = folders();
  const codes: number[] = [];
  let now = page;
  for (const [whole, command = ''] of page.matchAll(EXAMPLE)) {
    const args = command.split(' ').map((arg) => paths.get(arg) ?? arg);
    const { stdout, code } = await inProcess([planCommand], args, {});
    const text = [...paths].reduce((all, [name, path]) => all.replaceAll(path, name), stdout);
    codes.push(code ?? -1);
    now = now.replace(whole, () => `\`\`\`console\n$ belfry ${command}\n${text}\`\`\``);
  }
  expect(codes).toEqual([0, 1]);
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(PAGE, now);
  else expect(page).toBe(now);
});

test('docs/plan.md and docs/rules.md list every rule by which a deployment gets stuck', () => {
  const root = resolve(import.meta.dirname, '../..');
  const sources = globSync(['lib/domain/update/*.ts', 'lib/domain/plan/obstacle.ts'], { cwd: root });
  const rules = sources.flatMap((file) =>
    [...readFileSync(resolve(root, file), 'utf8').matchAll(/\brule: '(\w+)'/g)].map(([, rule = '']) => rule),
  );
  const text = readFileSync(PAGE, 'utf8') + readFileSync(resolve(root, 'docs/rules.md'), 'utf8');
  const listed = new Set([...text.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, rule = '']) => rule));
  expect(rules.length).toBeGreaterThan(8);
  expect(rules.filter((rule) => !listed.has(rule))).toEqual([]);
});
