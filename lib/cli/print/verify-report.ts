import { formatInstant } from '../../domain/time/instant.ts';
import type { Proof } from '../verify.ts';
import { paint } from './dev-lines.ts';

/** Beyond this many findings a person wants the count, and a program takes `--json`. */
const MOST_NAMED = 50;

export function verifyJson({ window, findings, ...counts }: Proof): object {
  return {
    proved: findings.length === 0,
    from: formatInstant(window.from),
    to: formatInstant(window.to),
    ...counts,
    findings: findings.map(({ scheduledTime, ...finding }) => ({
      ...finding,
      scheduledTime: scheduledTime === undefined ? null : formatInstant(scheduledTime),
    })),
  };
}

export function verifyText(proof: Proof, environment: string): string {
  const { window, findings, jobs, expected, open, byStatus } = proof;
  const range = `${formatInstant(window.from)} to ${formatInstant(window.to)}`;
  const statuses = Object.entries(byStatus).map(([status, count]) => `${count.toLocaleString('en')} ${status}`);
  const lines = findings.slice(0, MOST_NAMED).map(({ kind, job, scheduledTime, detail }) => {
    const at = scheduledTime === undefined ? '(no instant)' : formatInstant(scheduledTime);
    return `${paint('red', kind.padEnd(10))}  ${job}  ${at}  ${paint('dim', detail)}`;
  });
  if (findings.length > MOST_NAMED) lines.push(`and ${findings.length - MOST_NAMED} more: --json names them all`);
  const verdict =
    findings.length === 0
      ? expected === 0
        ? `${paint('green', 'proved')}  no occurrence had to have its row by then: ask again when the jobs have run for some minutes`
        : `${paint('green', 'proved')}  every one of ${expected.toLocaleString('en')} occurrences of ${count(jobs, 'job')} has exactly one row`
      : `${paint('red', 'not proved')}  ${count(findings.length, 'finding')} in ${expected.toLocaleString('en')} occurrences of ${count(jobs, 'job')}`;
  const counts = [...statuses, ...(open === 0 ? [] : [`${open.toLocaleString('en')} still open`])];
  const rest = [`${environment}, ${range}`, ...(counts.length === 0 ? [] : [counts.join(', ')])].map(
    (text) => `           ${text}`,
  );
  return `${[...lines, verdict, ...rest].join('\n')}\n`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
