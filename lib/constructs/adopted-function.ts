import type { IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Annotations, Duration, Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { BelfryError } from '../domain/errors.ts';
import { assertEffective } from './rules/effective-options.ts';

/** What only the one who made the function can say. */
const OWN_OPTIONS = [
  'memorySize',
  'sourceMaps',
  'vpc',
  'vpcSubnets',
  'securityGroups',
  'layers',
  'architecture',
  'files',
];

/** The job that each function was given to. */
const takenBy = new WeakMap<IFunction, string>();

/**
 * The literal name of a function that exists already: the watchdog is told it, and cannot be told a reference.
 * @throws BelfryError `FunctionVersion`, `DurableFunction`, `UnnamedFunction`, `FunctionTaken`, `OptionWithoutEffect`
 */
export function adoptedName(job: string, adopted: IFunction, props: object): string {
  if ('version' in adopted || 'aliasName' in adopted) {
    throw new BelfryError(
      'FunctionVersion',
      `job '${job}': its function is a version or an alias, and the retries and the dead-letter queue of a function do not apply to these: give the job the function itself`,
    );
  }
  const physical = adopted.node.defaultChild;
  if (physical !== undefined && 'durableConfig' in physical && physical.durableConfig !== undefined) {
    throw new BelfryError(
      'DurableFunction',
      `job '${job}': its function is a durable function, which can be invoked by a version only, and keeps a state of its own: leave durableConfig out, and use run.continueLater for long work`,
    );
  }
  const name =
    physical !== undefined && 'functionName' in physical ? physical.functionName : nameOfImported(adopted, physical);
  if (typeof name !== 'string' || Token.isUnresolved(name)) {
    throw new BelfryError(
      'UnnamedFunction',
      `job '${job}': its function has no functionName, and the watchdog needs the name: give the function one`,
    );
  }
  const other = takenBy.get(adopted);
  if (other !== undefined) {
    throw new BelfryError(
      'FunctionTaken',
      `job '${job}': its function runs job '${other}' already, and can have the definition of one job only: give the job a function of its own, or make both jobs of a JobFleet`,
    );
  }
  const { options, why } = decidedByFunction(adopted, name);
  assertEffective(job, props, options, why);
  takenBy.set(adopted, job);
  return name;
}

/** What neither the job nor its environment can say. */
export function decidedByFunction(
  adopted: IFunction,
  functionName: string,
): { readonly options: readonly string[]; readonly why: string } {
  return {
    options: timeoutOf(adopted) === undefined ? OWN_OPTIONS : ['timeout', ...OWN_OPTIONS],
    why: `function '${functionName}' exists already and has its own`,
  };
}

/** How long the function may run, if it is declared in this app: what Lambda grants where nothing is said is three seconds. */
export function timeoutOf(adopted: IFunction): Duration | undefined {
  if (!isDeclaredHere(adopted)) return undefined;
  const given = 'timeout' in adopted ? adopted.timeout : undefined;
  return given instanceof Duration ? given : Duration.seconds(3);
}

function isDeclaredHere(
  adopted: IFunction,
): adopted is IFunction & { addEnvironment(name: string, value: string): unknown } {
  return 'addEnvironment' in adopted && typeof adopted.addEnvironment === 'function';
}

function nameOfImported(adopted: IFunction, physical: unknown): string | undefined {
  return physical === undefined ? adopted.functionName : undefined;
}

/**
 * Gives a function that exists what a job's function has: its variables, and the right to its records. One that another
 * app declares keeps its variables: a warning says which it needs.
 *
 * @throws BelfryError `FunctionWithoutRole`
 */
export function adoptFunction(
  scope: Construct,
  job: string,
  adopted: IFunction,
  {
    variables,
    statements,
  }: { readonly variables: Readonly<Record<string, string>>; readonly statements: readonly PolicyStatement[] },
): IRole {
  const { role } = adopted;
  if (role === undefined) {
    throw new BelfryError(
      'FunctionWithoutRole',
      `job '${job}': the role of its function is not known, so nothing can be granted to it: import the function together with its role, by Function.fromFunctionAttributes()`,
    );
  }
  for (const statement of statements) role.addToPrincipalPolicy(statement);
  if (isDeclaredHere(adopted)) {
    for (const [name, value] of Object.entries(variables)) adopted.addEnvironment(name, value);
  } else {
    Annotations.of(scope).addWarningV2(
      'belfry:VariablesNotSet',
      `job '${job}': its function is declared by another app, so its environment variables cannot be set here: set ${Object.keys(variables).join(', ')} there, with the values in the job's 'variables'`,
    );
  }
  return role;
}
