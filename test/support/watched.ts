import type { SweepDependencies } from '../../lambdas/watchdog/sweep.ts';
import { TimingMemory } from '../../lambdas/watchdog/timing-memory.ts';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { MemoryJobStates } from './memory-job-states.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { MemoryWatchStore } from './memory-watch-store.ts';
import { RecordingInvoker } from './recording-invoker.ts';
import { RecordingNotifier } from './recording-notifier.ts';

function manifestOf(...jobs: JobDefinition[]) {
  return watchManifest({
    version: 1,
    environment: 'test',
    scheduler: 'test',
    jobsStacks: 'test/jobs',
    jobs,
    functions: {},
  });
}

/** A watchdog of these jobs with all that it keeps in the test's hands; `dependencies(...others)` is what it has after a deployment. */
export function watched(...jobs: JobDefinition[]) {
  const parts = {
    ledger: new MemoryLedger(),
    watchStore: new MemoryWatchStore(),
    jobStates: new MemoryJobStates(),
    invoker: new RecordingInvoker(),
    timings: new TimingMemory(),
    notifier: new RecordingNotifier(),
  };
  const dependencies = (...others: JobDefinition[]): SweepDependencies => ({
    manifest: manifestOf(...(others.length > 0 ? others : jobs)),
    watchStore: parts.watchStore,
    runStore: parts.ledger,
    jobStates: parts.jobStates,
    invoker: parts.invoker,
    timings: parts.timings,
    telling: parts.notifier.telling,
  });
  return { ...parts, dependencies };
}
