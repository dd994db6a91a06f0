import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { BelfryError } from '../../domain/errors.ts';
import { ACCOUNT, REGION } from './local-account.ts';
import { ownWords } from './own-words.ts';
import type { DeploymentTarget } from './template.ts';

interface CdkSettings {
  readonly app?: string;
  readonly context?: { readonly [key: string]: unknown };
}

export interface SynthesiseOptions {
  /** Folder with cdk.json. */
  readonly projectFolder: string;
  /** Where the cloud assembly goes; what was there is deleted. */
  readonly outdir: string;
  /** Handed to the app as its context value `environment`, so that it can leave the others out. */
  readonly environment: string;
  /** Folder in which Node keeps compiled code between runs. */
  readonly compileCache?: string;
  /** Folder in which bundles of handlers are kept for the next time. */
  readonly bundleCache?: string;
  /** What the app is told it will be deployed to (default: an account and a Region that stand for this machine). */
  readonly target?: DeploymentTarget;
  /** Not to be run here, but compared with what is deployed: handlers are bundled as they are for a deployment. */
  readonly isCompared?: boolean;
}

/**
 * Runs the CDK app named in cdk.json, without the CDK's command line, and has it write its cloud assembly.
 * @throws BelfryError `NoCdkApp`, `UnknownEnvironment`, `SynthFailed` with what the app said
 */
export async function synthesise(options: SynthesiseOptions): Promise<void> {
  const { projectFolder, outdir, environment, compileCache, bundleCache } = options;
  const { target = { account: ACCOUNT, region: REGION }, isCompared = false } = options;
  const { app, context = {} } = readSettings(projectFolder);
  if (app === undefined) {
    throw new BelfryError(
      'NoCdkApp',
      `${join(projectFolder, 'cdk.json')} has no "app": set it to the command that runs your CDK app, e.g. "node bin/app.ts"`,
    );
  }
  rmSync(outdir, { recursive: true, force: true });
  const node = dirname(process.execPath);
  const child = spawn(app, {
    cwd: projectFolder,
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${node}${delimiter}${process.env.PATH ?? ''}`,
      CDK_OUTDIR: outdir,
      CDK_CONTEXT_JSON: JSON.stringify({ ...readContext(projectFolder), ...context, environment }),
      CDK_DEFAULT_ACCOUNT: target.account,
      CDK_DEFAULT_REGION: target.region,
      CDK_VALIDATION: 'false',
      // Nothing is deployed: a job that is only tried here stays out of the roster.
      BELFRY_LOCAL: isCompared ? 'compare' : 'run',
      ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
      ...(bundleCache === undefined ? {} : { BELFRY_BUNDLE_CACHE: bundleCache }),
    },
  });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', (chunk: string) => {
      said = `${said}${chunk}`.slice(-20_000);
    });
  }
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve(status ?? signal ?? 1));
  });
  if (code !== 0) {
    // An app that selects its environments says so itself; where it stood then is no news.
    const [, unknown] = /^UnknownEnvironment: (.*)$/m.exec(said) ?? [];
    if (unknown !== undefined) throw new BelfryError('UnknownEnvironment', `the app says: ${unknown}`);
    const reason = said.includes('ENOSPC') ? ', the disk is full: free some space' : '';
    throw new BelfryError(
      'SynthFailed',
      `the app did not synthesise ('${app}' ended with ${code}${reason}):\n${ownWords(said)}`,
    );
  }
}

function readSettings(projectFolder: string): CdkSettings {
  const file = join(projectFolder, 'cdk.json');
  if (!existsSync(file)) {
    throw new BelfryError('NoCdkApp', `there is no cdk.json in ${projectFolder}: run this in the folder of a CDK app`);
  }
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CdkSettings;
  } catch (error) {
    throw new BelfryError(
      'NoCdkApp',
      `${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** What the CDK's command line remembers of look-ups. */
function readContext(projectFolder: string): object {
  const file = join(projectFolder, 'cdk.context.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {};
}
