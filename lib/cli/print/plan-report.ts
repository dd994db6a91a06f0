import { DEPLOYMENT_MS } from '../../domain/plan/disturbed-jobs.ts';
import type { Obstacle } from '../../domain/plan/obstacle.ts';
import type { DeploymentPlan } from '../../domain/plan/plan-deployment.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import { isWithinBudget, type PlanAnswer } from '../plan.ts';
import { paint } from './dev-lines.ts';
import { type ChangeGroup, changeGroups } from './plan-changes.ts';
import { costLines, pair, usdWords } from './plan-costs.ts';
import { disturbedLines } from './plan-disturbed.ts';
import { count, listWords } from './plan-words.ts';
import { wrapped } from './wrapped.ts';

/** Beyond this many groups a person wants the count, and a program takes `--json`. */
const MOST_GROUPS = 20;
const MOST_OF_A_RULE = 3;
const WIDTH = 100;

const MARKS = { added: paint('green', '+'), removed: paint('red', '-'), changed: paint('yellow', '~') };

/** @param only names of jobs to show; empty: all */
export function planText(answer: PlanAnswer, only: readonly string[]): string {
  const { environment, compared, obstacles, plan } = answer;
  const isShown = (job: string) => only.length === 0 || only.includes(job);
  const jobs = plan.jobs.filter(({ job, renamedFrom = job }) => isShown(job) || isShown(renamedFrom));
  const lines = [
    paint('bold', `${environment}: ${compared.from} → ${compared.to}`),
    '',
    ...summary(answer),
    ...section(obstacles.length === 0 ? '' : 'What gets stuck', obstacleGroups(obstacles)),
    ...formerLines(answer),
    ...prefixLines(plan),
    ...section('Jobs', groupLines(changeGroups(jobs))),
    ...section(
      'Cost a month',
      costLines(answer, isShown).flatMap((line) => paragraph(line, '  ')),
    ),
    ...section(
      `A deployment at ${formatInstant(plan.now)}, taken to last ${DEPLOYMENT_MS / 60_000} minutes`,
      disturbedLines(plan, isShown).flatMap((line) => paragraph(line, '  ')),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a person wants to know first. */
function summary(answer: PlanAnswer): readonly string[] {
  const { obstacles, plan, costs, budget } = answer;
  const fate =
    obstacles.length === 0
      ? paint('green', 'goes through')
      : paint(['red', 'bold'], `gets stuck, for ${count(obstacles.length, 'reason')}`);
  const cost = pair(costs.before.usd, costs.after.usd, ' a month');
  const limit =
    budget === undefined
      ? ''
      : isWithinBudget(answer)
        ? paint('green', `, within the budget of ${usdWords(budget)}`)
        : paint(['red', 'bold'], `, over the budget of ${usdWords(budget)}`);
  const rows = [
    ['deployment', fate],
    ['jobs', jobCounts(plan)],
    ['occurrences', occurrenceCounts(plan)],
    ['cost', `${cost}${limit}`],
  ] as const;
  return rows.map(([label, text]) => `  ${paint('dim', label.padEnd(12))}${text}`);
}

function occurrenceCounts({ jobs }: DeploymentPlan): string {
  const counts = (['vanish', 'moved', 'appear'] as const)
    .map((kind) => [kind, jobs.reduce((sum, { occurrences }) => sum + occurrences[kind].length, 0)] as const)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => `${number.toLocaleString('en')} ${kind === 'moved' ? 'move' : kind}`);
  return counts.length === 0 ? 'none of the next 14 days changes' : `${counts.join(', ')}, in the next 14 days`;
}

function jobCounts({ jobs, unchanged }: DeploymentPlan): string {
  const number = (change: string) => jobs.filter((job) => job.change === change).length;
  return [
    ...(['added', 'removed', 'changed'] as const)
      .map((change) => [change, number(change)] as const)
      .filter(([, amount]) => amount > 0)
      .map(([change, amount]) => `${amount.toLocaleString('en')} ${change}`),
    `${unchanged.toLocaleString('en')} as before`,
  ].join(', ');
}

function groupLines(groups: readonly ChangeGroup[]): readonly string[] {
  return [
    ...groups
      .slice(0, MOST_GROUPS)
      .flatMap(({ title, change, lines }) => [
        `  ${MARKS[change]} ${paint('bold', title)}${change === 'changed' ? '' : ` ${change}`}`,
        ...lines.flatMap((line) => paragraph(line, '      ')),
      ]),
    ...more(groups.length - MOST_GROUPS),
  ];
}

/** A few of each rule: one change may be in the way of a thousand jobs. */
function obstacleGroups(obstacles: readonly Obstacle[]): readonly string[] {
  const rules = Map.groupBy(obstacles, ({ rule }) => rule);
  return [...rules].flatMap(([rule, same]) => [
    ...same.slice(0, MOST_OF_A_RULE).flatMap(obstacleLines),
    ...(same.length > MOST_OF_A_RULE
      ? [
          `    ${paint('dim', `and ${(same.length - MOST_OF_A_RULE).toLocaleString('en')} more by ${rule}: --json names all`)}`,
        ]
      : []),
  ]);
}

function obstacleLines({ rule, stack, resource, why, wayOut }: Obstacle): readonly string[] {
  return [
    `  ${paint('red', '✗')} ${paint('bold', resource === undefined ? stack : `${stack} ${resource}`)} ${paint('dim', rule)}`,
    ...paragraph(why, '      '),
    ...paragraph(`way out: ${wayOut}`, '      '),
  ];
}

function formerLines({ compared, plan }: PlanAnswer): readonly string[] {
  const former = compared.before.filter(({ isFormer }) => isFormer).map(({ name }) => name);
  if (former.length === 0) return [];
  const [is, it] = former.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const jobs = plan.leftBehind.length === 0 ? '' : ` Jobs there go on: ${listWords(plan.leftBehind)}.`;
  return [
    '',
    ...paragraph(
      `${paint('yellow', '!')} ${former.join(', ')} ${is} deployed and no longer in the app; cdk deploy leaves ${it} behind.${jobs} To delete ${it} afterwards: ${former
        .filter((name) => !name.includes('/'))
        .map((name) => `aws cloudformation delete-stack --stack-name ${name}`)
        .join('; ')}`,
      '  ',
    ),
  ];
}

function prefixLines({ prefix }: DeploymentPlan): readonly string[] {
  if (prefix === undefined) return [];
  const { before, after } = prefix;
  const text = `${paint('yellow', '!')} the prefix changes from ${before} to ${after}: functions, schedules and alarms get new names, and runs new idempotency keys`;
  return ['', ...paragraph(text, '  ')];
}

function more(number: number): readonly string[] {
  return number > 0 ? [paint('dim', `and ${number.toLocaleString('en')} more: --job shows one job, --json all`)] : [];
}

/** A heading and what is below it; nothing when there is nothing. */
function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', paint('bold', heading), ...lines];
}

function paragraph(text: string, indent: string): readonly string[] {
  return wrapped(text, process.stdout.columns ?? WIDTH, indent);
}
