import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCloudAssembly } from '../../lib/local/assembly/cloud-assembly.ts';
import { Intrinsics } from '../../lib/local/assembly/intrinsics.ts';
import { readAlarms } from '../../lib/local/assembly/read-alarms.ts';
import type { AlarmResource } from '../../lib/local/assembly/resources.ts';
import { EnvironmentStage } from '../../lib/stacks/environment-stage.ts';
import { environments } from '../../lib/stacks/environments.ts';
import { quietApp } from '../constructs/scheduler-app.ts';

/** The alarms of the app's `dev`, as its template has them. */
export function deployedAlarms(): readonly AlarmResource[] {
  const [dev] = environments;
  if (dev === undefined) throw new Error('no environments');
  const outdir = mkdtempSync(join(tmpdir(), 'belfry-alarms-'));
  try {
    const app = quietApp(outdir);
    new EnvironmentStage(app, dev);
    app.synth();
    const notes: string[] = [];
    const alarms = readAlarms(new Intrinsics(readCloudAssembly(outdir, 'dev')), notes);
    if (notes.length > 0) throw new Error(notes.join('\n'));
    return alarms;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
