import { Stage, type Environment as Target } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Environment } from './environment.ts';
import { JobsStack } from './jobs-stack.ts';
import { StateStack } from './state-stack.ts';
import { WatchStack } from './watch-stack.ts';

/** One environment: `cdk deploy 'prod/*'`. */
export class EnvironmentStage extends Stage {
  constructor(scope: Construct, environment: Environment) {
    super(scope, environment.name, { env: target(environment) });
    // The tables are what stacks refer to across their borders: they must not go while somebody uses them.
    this.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
    const props = (stack: string) => ({
      environment,
      stackName: `belfry-${environment.name}-${stack}`,
      terminationProtection: environment.protected,
    });
    const { runTable, appTable } = new StateStack(this, 'state', props('state'));
    const { scheduler } = new JobsStack(this, 'jobs', { ...props('jobs'), runTable, appTable });
    new WatchStack(this, 'watch', { ...props('watch'), scheduler });
  }
}

function target({ account, region }: Environment): Target {
  return { ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) };
}
