import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planCommand } from '../../lib/cli/plan.ts';
import { synthesise } from '../../lib/local/assembly/synthesise.ts';
import { belfry, type CliAnswer } from '../support/belfry-cli.ts';
import { type ServedStack, serveCloudFormation } from '../support/cloudformation-server.ts';
import { inProcess } from '../support/in-process-cli.ts';
import { PLAN_JOBS, planAssembly, testFolder } from '../support/plan-assembly.ts';

const { 'db-cleanup': _cleanup, ...OTHERS } = PLAN_JOBS;
const OTHER_STACK = { name: 'website', template: '{ "Resources": {} }' };

/** The template of the stack of an assembly. */
function templateOf(assembly: string): string {
  const stage = join(assembly, 'assembly-prod');
  const file = readdirSync(stage).find((name) => name.endsWith('.template.json')) ?? '';
  return readFileSync(join(stage, file), 'utf8');
}

/** What is deployed, with more or other stacks beside it. */
const deployed = (changes: Partial<ServedStack> = {}): ServedStack => ({
  name: 'shop-prod-jobs',
  template: templateOf(planAssembly(PLAN_JOBS)),
  ...changes,
});

async function plan(
  stacks: readonly ServedStack[],
  { refuses, jobs = PLAN_JOBS, args = [] }: { refuses?: string; jobs?: object; args?: readonly string[] } = {},
): Promise<CliAnswer & { readonly asked: readonly string[] }> {
  const { url, asked } = await serveCloudFormation(stacks, refuses === undefined ? {} : { refuses });
  const command = ['plan', '--environment', 'prod', '--to-templates', planAssembly(jobs as typeof PLAN_JOBS), ...args];
  const variables = { AWS_ENDPOINT_URL: url, AWS_REGION: 'eu-west-1', AWS_MAX_ATTEMPTS: '1' };
  return { ...(await inProcess([planCommand], command, variables)), asked };
}

test('compares with what CloudFormation holds, over its pages, and reads no other stack’s template', async () => {
  const { stdout, code, asked } = await plan([OTHER_STACK, { ...OTHER_STACK, name: 'api' }, deployed()], {
    jobs: OTHERS,
  });
  expect(code).toBe(0);
  expect(stdout).toContain('prod: deployed in eu-west-1 → ');
  expect(stdout).toContain('  - db-cleanup removed\n');
  expect(asked).toEqual(['ListStacks', 'ListStacks', expect.stringMatching(/^GetTemplate arn:.*shop-prod-jobs/)]);
});

test('a stack of the environment that the app does not have any more goes on, and is told of', async () => {
  const former = { name: 'shop-prod-jobs-01', template: templateOf(planAssembly({ 'old-job': {} })) };
  const namesake = { name: 'shop-prod-jobs-cdn', template: 'Resources: {}' };
  const json = await plan([deployed(), former, namesake], { args: ['--json'] });
  expect(json.code).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({
    formerStacks: ['shop-prod-jobs-01'],
    leftBehind: ['old-job'],
    jobs: [],
  });
  const { stdout } = await plan([deployed(), former]);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'shop-prod-jobs-01 is deployed and no longer in the app; cdk deploy leaves it behind. Jobs there go on: old-job.',
  );
});

test('nested stacks are read', async () => {
  const parent = { Resources: { Nested: { Type: 'AWS::CloudFormation::Stack', Properties: { TemplateURL: 'x' } } } };
  const nested = { ...deployed({ name: 'shop-prod-jobs-Nested-1X' }), parent: 'shop-prod-jobs' };
  const outer = deployed({ template: JSON.stringify(parent), nested: { Nested: nested.name } });
  const { stdout } = await plan([outer, nested], { jobs: OTHERS, args: ['--json'] });
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ job: 'db-cleanup', change: 'removed' }], unchangedJobs: 3 });
});

test.each([
  ['UPDATE_IN_PROGRESS', 'StackBusy', 'wait until it has ended'],
  [
    'UPDATE_ROLLBACK_FAILED',
    'RollbackFailed',
    'aws cloudformation continue-update-rollback --stack-name shop-prod-jobs',
  ],
  ['DELETE_FAILED', 'StackFailed', 'aws cloudformation delete-stack --stack-name shop-prod-jobs'],
])('a stack in status %s gets stuck, with the way out', async (status, rule, wayOut) => {
  const { stdout, code } = await plan([deployed({ status })]);
  expect(code).toBe(1);
  expect(stdout).toContain('deployment  gets stuck, for 1 reason\n');
  expect(stdout).toContain(`✗ shop-prod-jobs ${rule}`);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(wayOut);
});

test('an export that goes while a stack that is not deployed with it imports it gets stuck', async () => {
  const template = JSON.parse(templateOf(planAssembly(PLAN_JOBS))) as { Outputs?: object };
  template.Outputs = {
    Table: { Value: 'runs', Export: { Name: 'shop-prod-jobs:Table' } },
    Unused: { Value: 'x', Export: { Name: 'unused' } },
  };
  const stack = deployed({ template: JSON.stringify(template), imports: { 'shop-prod-jobs:Table': ['reports'] } });
  const { stdout, code } = await plan([stack, OTHER_STACK], { args: ['--json'] });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    goesThrough: false,
    obstacles: [{ rule: 'ExportInUse', stack: 'shop-prod-jobs', why: expect.stringContaining('reports') }],
  });
});

test.each([
  [
    'a Region without the stacks',
    [OTHER_STACK],
    undefined,
    "environment 'prod' is not deployed in eu-west-1: there is no stack shop-prod-jobs",
  ],
  [
    'a stack whose creation failed',
    [{ ...OTHER_STACK, name: 'shop-prod-jobs', status: 'ROLLBACK_COMPLETE' }],
    undefined,
    'is not deployed in eu-west-1',
  ],
  [
    'somebody else’s stack of that name',
    [{ ...OTHER_STACK, name: 'shop-prod-jobs' }],
    undefined,
    'declare no job of Belfry',
  ],
  [
    'a template that is not JSON',
    [{ name: 'shop-prod-jobs', template: 'Resources: {}' }],
    undefined,
    'is not valid JSON',
  ],
  ['no right to list', [], 'ListStacks', 'belfry plan needs cloudformation:ListStacks, GetTemplate'],
  [
    'no right to read a template',
    [{ ...OTHER_STACK, name: 'shop-prod-jobs' }],
    'GetTemplate',
    'is not authorized to perform: cloudformation:GetTemplate',
  ],
] as const)('%s: one line, exit 2', async (_, stacks, refuses, message) => {
  const { code, stdout, stderr } = await plan(stacks, refuses === undefined ? {} : { refuses });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('the app is synthesised for the account and Region of what is deployed', async () => {
  const folder = testFolder();
  const module = (path: string) => JSON.stringify(join(import.meta.dirname, '../..', path));
  writeFileSync(join(folder, 'cdk.json'), '{ "app": "node app.mjs" }');
  writeFileSync(join(folder, 'job.ts'), "export const handler = async () => 'done';");
  writeFileSync(
    join(folder, 'app.mjs'),
    `import { App, Stack } from ${module('node_modules/aws-cdk-lib/core/index.js')};
    import { JobScheduler, ScheduledJob } from ${module('lib/index.ts')};
    const app = new App({ builtinCloudFormationValidation: false });
    const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
    const stack = new Stack(app, 'Shop', { env: { account, region } });
    const scheduler = new JobScheduler(stack, 'Scheduler', { environment: 'dev' });
    new ScheduledJob(scheduler, 'tick', {
      schedule: '* * * * *', timeZone: 'UTC', entry: 'job.ts', environment: { WHERE: account + region },
    });
    app.synth();`,
  );
  const outdir = join(folder, 'deployed.out');
  const target = { account: '123456789012', region: 'eu-west-1' };
  await synthesise({ projectFolder: folder, outdir, environment: 'dev', target, isCompared: true });
  const { url } = await serveCloudFormation([
    { name: 'Shop', template: readFileSync(join(outdir, 'Shop.template.json'), 'utf8') },
  ]);
  const variables = { AWS_ENDPOINT_URL: url, AWS_REGION: 'eu-west-1' };
  const answer = await belfry(['plan', '--json'], { cwd: folder, variables });
  expect(answer).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(answer.stdout)).toMatchObject({
    obstacles: [],
    jobs: [],
    disturbed: [{ job: 'tick', touches: [] }],
  });
});

test('where nothing answers, and without credentials or a Region: one line, exit 2', async () => {
  const args = ['plan', '--environment', 'prod', '--to-templates', planAssembly(PLAN_JOBS)];
  const nobody = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_MAX_ATTEMPTS: '1' };
  const refused = await inProcess([planCommand], args, nobody);
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^belfry plan: AWS could not be asked/),
  });

  const nothing = {
    HOME: '/nonexistent',
    AWS_CONFIG_FILE: '/nonexistent',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ACCESS_KEY_ID: '',
    AWS_SECRET_ACCESS_KEY: '',
  };
  const unknown = await inProcess([planCommand], args, nothing);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('there are no valid credentials') });
  const nowhere = await inProcess([planCommand], args, { ...nothing, AWS_REGION: '' });
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('check AWS_REGION') });
});
