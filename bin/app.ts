#!/usr/bin/env node
import { App } from 'aws-cdk-lib/core';
import { selectEnvironments } from '../lib/stacks/environment.ts';
import { EnvironmentStage } from '../lib/stacks/environment-stage.ts';
import { environments } from '../lib/stacks/environments.ts';

const app = new App();
for (const environment of selectEnvironments(environments, app.node.tryGetContext('environment'))) {
  new EnvironmentStage(app, environment);
}
app.synth();
