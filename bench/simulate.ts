// bench: belfry simulate, 100 jobs over one year: every occurrence, whose turn it is, changes of the clocks, an outage
//
// The usual mix of schedules in five zones, with runs of 20 minutes, so that the policies have something to decide.

import type { OverlapPolicy } from '../lib/domain/job.ts';
import { simulateJob } from '../lib/domain/simulation/simulate-job.ts';

const SCHEDULES = ['*/5 * * * *', '*/15 * * * *', '0 * * * *', '30 2 * * *', '0 8 * * 1-5', '@daily', '0 0 1 * *'];
const ZONES = ['UTC', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kolkata'];
const POLICIES: readonly OverlapPolicy[] = ['skip', 'bufferOne', 'cancelOther', 'allow'];
const YEAR = { from: Date.parse('2026-01-01T00:00:00Z'), to: Date.parse('2027-01-01T00:00:00Z') };
const OUTAGE = { from: Date.parse('2026-07-01T02:00:00Z'), to: Date.parse('2026-07-01T08:00:00Z') };

const jobs = Array.from({ length: 100 }, (_, index) => ({
  name: `job-${index}`,
  schedule: SCHEDULES[index % SCHEDULES.length] ?? '',
  timeZone: ZONES[index % ZONES.length] ?? '',
  dst: { gap: 'runAfter', fold: 'both' } as const,
  overlap: POLICIES[index % POLICIES.length] ?? 'skip',
  catchUp: { policy: 'all', maxAgeMs: 86_400_000, maxRuns: 10 } as const,
}));

for (let round = 1; round <= 3; round++) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const byStatus: Record<string, number> = {};
  for (const job of jobs) {
    for (const { status } of simulateJob(job, { ...YEAR, outages: [OUTAGE], durationMs: 20 * 60_000 })) {
      byStatus[status] = (byStatus[status] ?? 0) + 1;
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const told = Object.entries(byStatus).map(([status, count]) => `${count.toLocaleString('en')} ${status}`);
  console.log(
    `100 jobs, 1 year: ${seconds.toFixed(2)} s, of the processor ${((user + system) / 1e6).toFixed(2)} s (budget 5 s): ${told.join(', ')}`,
  );
}
