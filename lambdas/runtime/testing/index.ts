export { MemoryRunStore } from '../../../lib/adapters/memory-run-store/memory-run-store.ts';
export { SettableClock } from './settable-clock.ts';
export { type TestJobOptions, type TestJobResult, testJob } from './test-job.ts';
