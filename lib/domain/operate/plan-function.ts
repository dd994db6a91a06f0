import { BelfryError } from '../errors.ts';

/**
 * Which of the functions that schedules of the job's name invoke is the environment's. Several environments in one account
 * have schedules of the same name, and their functions tell them apart; one that was made elsewhere bears any name, and is
 * taken only if it is the only one.
 * @param functionArns without qualifier
 * @throws BelfryError `NoFunction`
 */
export function planFunction(environment: string, job: string, functionArns: readonly string[]): string {
  const arns = [...new Set(functionArns)];
  const own = arns.find((arn) => nameOf(arn).startsWith(`belfry-${environment}-`));
  if (own !== undefined) return own;
  const foreign = arns.filter((arn) => !nameOf(arn).startsWith('belfry-'));
  const [only] = foreign;
  if (only !== undefined && foreign.length === 1) return only;
  const found =
    foreign.length === 0
      ? `no schedule of that name invokes a function of ${environment}`
      : `schedules of that name invoke ${foreign.map(nameOf).join(' and ')}`;
  throw new BelfryError(
    'NoFunction',
    `which function runs '${job}' cannot be told: ${found}; name it with --function, or deploy the stack that declares the job`,
  );
}

function nameOf(arn: string): string {
  return arn.split(':')[6] ?? '';
}
