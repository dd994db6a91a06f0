import { type AuditWindow, auditRows } from '../../lib/domain/watch/plan-audit.ts';
import type { TimingFinding } from '../../lib/domain/watch/plan-timing.ts';
import type { AuditSource } from '../../lib/domain/watch/ports.ts';

const AUDITS_AT_A_TIME = 16;

/** An audit that cannot be carried out is left to the next hour. */
export async function carryOutAudits(
  audit: AuditSource | undefined,
  windows: readonly AuditWindow[],
): Promise<readonly TimingFinding[]> {
  if (audit === undefined) return [];
  const findings: TimingFinding[] = [];
  const waiting = windows.values();
  const work = async () => {
    for (const window of waiting) {
      try {
        findings.push(...auditRows(window, await audit.rowsBetween(window.job.entry.name, window.from, window.to)));
      } catch {}
    }
  };
  await Promise.all(Array.from({ length: Math.min(AUDITS_AT_A_TIME, windows.length) }, work));
  return findings;
}
