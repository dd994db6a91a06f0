import { Command, InvalidArgumentError } from 'commander';
import { SystemClock } from '../adapters/system-clock/system-clock.ts';
import { BelfryError } from '../domain/errors.ts';
import { type CostComparison, compareCosts } from '../domain/plan/monthly-costs.ts';
import { exportObstacles, type Obstacle, statusObstacles } from '../domain/plan/obstacle.ts';
import { type DeploymentPlan, planDeployment } from '../domain/plan/plan-deployment.ts';
import { reviewUpdate } from '../domain/update/review-update.ts';
import { type ComparedTemplates, comparedTemplates } from '../local/plan/compared-templates.ts';
import { plannedJobs } from '../local/plan/planned-jobs.ts';
import { plannedSchedulers } from '../local/plan/planned-schedulers.ts';
import { type InstantOption, parseInstantOption } from './instant-option.ts';
import { planJson } from './print/plan-json.ts';
import { planText } from './print/plan-report.ts';
import { ProgressBar } from './print/progress-bar.ts';

interface PlanFlags {
  readonly environment: string;
  readonly fromTemplates?: string;
  readonly toTemplates?: string;
  readonly at?: InstantOption;
  readonly budget?: number;
  readonly job: readonly string[];
  readonly json: boolean;
}

/** What `belfry plan` answers. */
export interface PlanAnswer {
  readonly environment: string;
  readonly compared: ComparedTemplates;
  readonly obstacles: readonly Obstacle[];
  readonly plan: DeploymentPlan;
  readonly costs: CostComparison;
  /** USD a month. */
  readonly budget?: number;
}

/** `belfry plan`: what a deployment would do, before it is made. Nothing is changed. */
export function planCommand(): Command {
  return new Command('plan')
    .description('say what a deployment would do: what gets stuck, which occurrences change, what it costs')
    .option('--environment <name>', 'which environment of the app', 'dev')
    .option(
      '--from-templates <folder>',
      'compare with a cloud assembly or templates in this folder, not with what is deployed: needs no credentials',
    )
    .option(
      '--to-templates <folder>',
      'a cloud assembly or templates of what would be deployed (default: the app here)',
    )
    .option('--at <instant>', 'deployed then, e.g. 2026-12-07T09:00Z (default: now)', parseInstantOption)
    .option('--budget <usd>', 'exit 1 if it would cost more a month, in USD', parseBudget)
    .option(
      '--job <name>',
      'show this job only; may be given again',
      (name: string, all: readonly string[]) => [...all, name],
      [],
    )
    .option('--json', 'one JSON object on stdout', false)
    .action(async (flags: PlanFlags) => {
      process.exitCode = await plan(flags);
    });
}

/** Returns the exit code: 0 it would go through, 1 it would get stuck or cost too much, 2 wrong usage or input. */
async function plan(flags: PlanFlags): Promise<number> {
  const bar = new ProgressBar(process.stderr, 'plan');
  try {
    const compared = await comparedTemplates({
      environment: flags.environment,
      projectFolder: process.cwd(),
      ...(flags.fromTemplates === undefined ? {} : { fromTemplates: flags.fromTemplates }),
      ...(flags.toTemplates === undefined ? {} : { toTemplates: flags.toTemplates }),
      onProgress: (done, what) => bar.show(done, what),
    });
    const now = new SystemClock().now();
    const former = compared.before.filter(({ isFormer }) => isFormer);
    const [before, after] = [plannedJobs(compared.before), plannedJobs(compared.after)];
    assertKnown(
      flags,
      [...before, ...after].map(({ definition }) => definition.name),
    );
    const at = flags.at?.(now) ?? now;
    const answer: PlanAnswer = {
      environment: flags.environment,
      compared,
      obstacles: [
        ...statusObstacles(compared.before),
        ...reviewUpdate(compared.before, compared.after),
        ...exportObstacles(compared.exportsInUse),
      ],
      plan: planDeployment(before, after, at),
      costs: compareCosts(plannedSchedulers(compared.before), plannedSchedulers([...compared.after, ...former]), at),
      ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    };
    bar.clear();
    process.stdout.write(flags.json ? `${JSON.stringify(planJson(answer, flags.job))}\n` : planText(answer, flags.job));
    return answer.obstacles.length === 0 && isWithinBudget(answer) ? 0 : 1;
  } catch (error) {
    bar.clear();
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`belfry plan: ${explain(error)}\n`);
    return 2;
  } finally {
    bar.clear();
  }
}

/** Without a budget anything is. */
export function isWithinBudget({ costs, budget = Number.POSITIVE_INFINITY }: PlanAnswer): boolean {
  return costs.after.usd <= budget;
}

function assertKnown({ job, environment }: PlanFlags, known: readonly string[]): void {
  const unknown = job.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new BelfryError(
    'UnknownJob',
    `there is no job '${unknown}' in ${environment}, before or after: known are ${[...new Set(known)].sort().join(', ')}`,
  );
}

const RIGHTS = 'cloudformation:ListStacks, GetTemplate, DescribeStackResource and ListImports';

/** One line; what the SDK says of credentials, Regions and rights is for people, a stack is for us. */
function explain(error: Error): string {
  if (error instanceof BelfryError) return error.message;
  const said = `${error.name}: ${error.message}`.replaceAll(/\s+/g, ' ');
  if (/credential|token/i.test(error.name)) {
    return `AWS could not be asked, there are no valid credentials (${said}): set AWS_PROFILE or log in, or compare with a folder by --from-templates`;
  }
  if (/AccessDenied|NotAuthorized|Unauthorized/i.test(error.name)) {
    return `AWS refused the request (${said}): belfry plan needs ${RIGHTS}; or compare with a folder by --from-templates`;
  }
  if ('$metadata' in error || /Region|ECONNREFUSED|ENOTFOUND|Timeout/i.test(said)) {
    return `AWS could not be asked (${said}): check AWS_REGION, AWS_PROFILE and AWS_ENDPOINT_URL, or compare with a folder by --from-templates`;
  }
  throw error;
}

function parseBudget(text: string): number {
  const amount = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !Number.isFinite(amount)) {
    throw new InvalidArgumentError('Give an amount of USD a month, like 50 or 12.50.');
  }
  return amount;
}
