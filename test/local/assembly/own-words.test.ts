import { expect, test } from 'vitest';
import { ownWords } from '../../../lib/local/assembly/own-words.ts';

test('a handler that esbuild cannot read: the place, and nothing of Node or of the error as an object', () => {
  const said = `✘ [ERROR] Unexpected ";"

    jobs/beat.ts:13:18:
      13 │ export const x = (;

node:internal/modules/run_main:107
    triggerUncaughtException(
    ^

Error: Build failed with 1 error:
jobs/beat.ts:13:18: ERROR: Unexpected ";"
    at failure (/app/node_modules/esbuild/lib/main.js:1477:15)
    at Socket.emit (node:events:514:28) {
  errors: [
    {
      detail: undefined
    }
  ],
  warnings: []
}

Node.js v24.22.3
`;
  expect(ownWords(said)).toBe(`✘ [ERROR] Unexpected ";"

    jobs/beat.ts:13:18:
      13 │ export const x = (;


Error: Build failed with 1 error:
jobs/beat.ts:13:18: ERROR: Unexpected ";"`);
});

test('an error of the app keeps its places in the app', () => {
  const said = `file:///app/bin/app.ts:8
import { missing } from './stacks.ts';
         ^^^^^^^

UnknownEnvironment: there is no environment "qa": known are dev, prod
    at file:///app/bin/app.ts:8:27
    at asyncRunEntryPoint (node:internal/modules/run_main:107:5) {
  code: 'UnknownEnvironment'
}

Node.js v24.22.3`;
  expect(ownWords(said)).toBe(`file:///app/bin/app.ts:8
import { missing } from './stacks.ts';
         ^^^^^^^

UnknownEnvironment: there is no environment "qa": known are dev, prod
    at file:///app/bin/app.ts:8:27`);
});

test('what the CDK found keeps its lines, without its sums of frames', () => {
  const said = `«ValidationFailedWithErrors» Validation failed with the following errors:
  [dev/jobs/Scheduler] JobGone: job 'a' is not declared any more
    ...App.synth in aws-cdk-lib...
    at file:///app/bin/app.ts:11 (:)
    ...node internals...`;
  expect(ownWords(said)).toBe(`«ValidationFailedWithErrors» Validation failed with the following errors:
  [dev/jobs/Scheduler] JobGone: job 'a' is not declared any more
    at file:///app/bin/app.ts:11 (:)`);
});

test('the cause of an error is kept', () => {
  const said = `Error: no settings
    at file:///app/bin/app.ts:3:9 {
  [cause]: Error: ENOENT: settings.json
      at open (node:fs:1:1)
}`;
  expect(ownWords(said)).toContain('[cause]: Error: ENOENT: settings.json');
});
