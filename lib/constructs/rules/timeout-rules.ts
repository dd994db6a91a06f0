import type { JobRule } from './job-rule.ts';
import { MINUTE, SECOND, spellDuration } from './spell-duration.ts';

const SHORTEST_TIMEOUT = 10 * SECOND;
const LONGEST_TIMEOUT = 15 * MINUTE;

export const TIMEOUT_RULES: readonly JobRule[] = [
  {
    code: 'TimeoutTooLong',
    severity: 'error',
    check: ({ definition: { timeoutMs } }) =>
      timeoutMs > LONGEST_TIMEOUT
        ? `timeout is ${spellDuration(timeoutMs)}, allowed are at most 15 minutes, when Lambda ends any invocation: split the work over several runs, or let it go on with run.continueLater`
        : undefined,
  },
  {
    code: 'TimeoutTooShort',
    severity: 'error',
    check: ({ definition: { timeoutMs } }) =>
      timeoutMs < SHORTEST_TIMEOUT
        ? `timeout is ${spellDuration(timeoutMs)}, allowed are at least 10 seconds: a shorter one leaves the handler no time beside claiming and recording the run`
        : undefined,
  },
  {
    code: 'TimeoutAboveFleet',
    severity: 'error',
    check: ({ definition: { timeoutMs }, fleetTimeoutMs }) =>
      fleetTimeoutMs !== undefined && timeoutMs > fleetTimeoutMs
        ? `timeout is ${spellDuration(timeoutMs)}, above that of its fleet, ${spellDuration(fleetTimeoutMs)}, whose function it runs in: lower the one or raise the other`
        : undefined,
  },
  {
    code: 'UnevenStartGrace',
    severity: 'error',
    check: ({ definition: { startGraceMs } }) =>
      startGraceMs % MINUTE === 0
        ? undefined
        : `startGrace is ${spellDuration(startGraceMs)}, allowed are whole minutes: the watchdog looks once a minute, and people are told in the sweep at which the grace is over`,
  },
  {
    code: 'TooFewSegments',
    severity: 'error',
    check: ({ options: { maxSegments } }) =>
      maxSegments < 1 || !Number.isInteger(maxSegments)
        ? `maxSegments is ${maxSegments}, it must be a whole number of at least 1: the first invocation counts`
        : undefined,
  },
  {
    code: 'ExpectedDurationTooLong',
    severity: 'error',
    check: ({ definition: { expectedDurationMs, timeoutMs, continuation, maxSegments = 1 } }) => {
      const longest = continuation === 'auto' ? timeoutMs * maxSegments : timeoutMs;
      return expectedDurationMs !== undefined && expectedDurationMs > longest
        ? `expectedDuration is ${spellDuration(expectedDurationMs)}, but it is stopped after ${spellDuration(longest)}: raise the timeout, or expect less`
        : undefined;
    },
  },
  {
    code: 'MinimumDurationTooLong',
    severity: 'error',
    check: ({ definition: { minimumDurationMs, expectedDurationMs, timeoutMs } }) => {
      const longest = expectedDurationMs ?? timeoutMs;
      return minimumDurationMs !== undefined && minimumDurationMs >= longest
        ? `minimumDuration is ${spellDuration(minimumDurationMs)}, it must be below ${expectedDurationMs === undefined ? 'timeout' : 'expectedDuration'}, ${spellDuration(longest)}: every run would be reported as too short`
        : undefined;
    },
  },
];
