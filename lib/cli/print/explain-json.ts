import type { AwsSchedule } from '../../domain/translation/aws-schedule.ts';
import type { Explanation } from '../../domain/translation/explain-schedule.ts';

/** An explanation as `belfry explain --json` prints it; instants in ISO form, UTC. */
export function explanationJson(
  explanation: Explanation,
  expression: string | readonly string[],
  tzdata: string | undefined,
): Record<string, unknown> {
  const { schedule, canonical, description, aws, next, warnings, transitions } = explanation;
  return {
    expression,
    canonical,
    timeZone: schedule.timeZone,
    description,
    aws: aws.map((each) => each.expression),
    awsSchedules: aws.map(awsJson),
    next: next.map(iso),
    warnings: warnings.map(({ message }) => message),
    warningCodes: warnings.map(({ code }) => code),
    transitions: transitions.map((change) => ({
      at: iso(change.at),
      kind: change.kind,
      shiftMinutes: change.shiftMinutes,
      expression: change.expression,
      wallTimes: change.wallTimes,
      count: change.count,
      effect: change.effect,
      does: change.does,
      supplements: change.supplements.map(iso),
      surplus: change.surplus.map(iso),
    })),
    ...(tzdata === undefined ? {} : { tzdata }),
  };
}

export function awsJson({ expression, timeZone, startAt, everyMs }: AwsSchedule): Record<string, string | number> {
  const start = startAt === undefined ? {} : { startAt: iso(startAt) };
  return { expression, timeZone, ...start, ...(everyMs === undefined ? {} : { everyMs }) };
}

export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
