import { statSync } from 'node:fs';
import { join } from 'node:path';
import { attachCustomSynthesis, CfnOutput, CfnResource, type Stack, Stage } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { BelfryError } from '../domain/errors.ts';
import {
  type ExceededLimit,
  exceededLimits,
  NAMES_OF_LIMITS,
  type TemplateSize,
} from '../domain/update/template-limits.ts';
import type { JobScheduler } from './job-scheduler.ts';

const CODES = {
  resources: 'TooManyResources',
  outputs: 'TooManyOutputs',
  bytes: 'TemplateTooLarge',
} as const satisfies Record<keyof TemplateSize, string>;

/** Refuses at synth what CloudFormation would refuse after the upload: stacks of jobs that have grown too large. */
export function limitTemplates(scheduler: JobScheduler, stacks: readonly Stack[]): void {
  scheduler.node.addValidation({
    validate: () =>
      stacks.flatMap((stack) =>
        exceededLimits(countElements(stack)).map((exceeded) => {
          const { code, message } = tooLarge(scheduler, stack, exceeded);
          return `${code}: ${message}`;
        }),
      ),
  });
  const stage = Stage.of(scheduler);
  if (stage === undefined) return;
  // How long a template is shows when it is written. Constructs of a stage are written in the order in which they were
  // made, so this one comes after the stacks.
  const check = new Construct(stage, `TemplateSizes-${scheduler.node.addr}`);
  attachCustomSynthesis(check, {
    onSynthesize({ outdir }) {
      for (const stack of stacks) {
        const [exceeded] = exceededLimits({ bytes: statSync(join(outdir, stack.templateFile)).size });
        if (exceeded !== undefined) throw tooLarge(scheduler, stack, exceeded);
      }
    },
  });
}

/** References between stacks have become outputs by the time a construct is validated. */
function countElements(stack: Stack): Partial<TemplateSize> {
  let resources = 0;
  let outputs = 0;
  for (const construct of stack.node.findAll()) {
    if (CfnResource.isCfnResource(construct)) resources += construct.stack === stack ? 1 : 0;
    else if (construct instanceof CfnOutput) outputs += construct.stack === stack ? 1 : 0;
  }
  return { resources, outputs };
}

function tooLarge(scheduler: JobScheduler, stack: Stack, { limit, size, allowed }: ExceededLimit): BelfryError {
  const [has, takes] = [size, allowed].map((count) => count.toLocaleString('en-US'));
  return new BelfryError(
    CODES[limit],
    `stack '${stack.stackName}' has ${has} ${NAMES_OF_LIMITS[limit]}, CloudFormation takes ${takes}: spread the jobs of ${scheduler.node.path} over more stacks (stacks, now ${scheduler.stacks}), or let jobs share a function (JobFleet); deployed jobs cannot move to another stack: if there are any, do not change stacks, and declare new jobs with a second scheduler in a stack of its own`,
  );
}
