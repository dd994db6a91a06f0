import type { ScheduleProperties, ScheduleResource } from '../assembly/resources.ts';
import type { ScheduleDriver } from '../schedules/schedule-driver.ts';
import { scheduleResource } from '../schedules/schedule-resource.ts';
import { AwsError, sendJson } from './aws-error.ts';
import type { EndpointRequest, EndpointRoute } from './endpoint-server.ts';

const NAME = /^[0-9a-zA-Z\-_.]{1,64}$/;
const MAX_PAGE = 100;

export interface SchedulerRouteOptions {
  readonly driver: ScheduleDriver;
  /** Groups of the template; `default` always exists. */
  readonly groups: ReadonlySet<string>;
  /** Called after a schedule was made, changed or removed. */
  readonly onChange: () => void;
}

/** EventBridge Scheduler's create, get, list, update and delete of schedules. */
export function schedulerRoute(options: SchedulerRouteOptions): EndpointRoute {
  const { driver, onChange } = options;
  return async (request, response) => {
    const { method, path, query } = request;
    const [collection, name, rest] = path;
    if (collection !== 'schedules' || rest !== undefined) return undefined;
    if (name === undefined) {
      if (method !== 'GET') return undefined;
      sendJson(response, 200, listSchedules(driver.list(), query));
      return true;
    }
    if (!NAME.test(name))
      throw invalid(
        `1 validation error detected: Value '${name}' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: [0-9a-zA-Z-_.]+`,
      );
    switch (method) {
      case 'POST': {
        const { group, properties } = readProperties(request, options.groups);
        if (driver.get(group, name) !== undefined)
          throw new AwsError(409, 'ConflictException', `Schedule ${name} already exists.`);
        sendJson(response, 200, { ScheduleArn: put(driver, name, group, properties) });
        onChange();
        return true;
      }
      case 'PUT': {
        const { group, properties } = readProperties(request, options.groups);
        find(driver, group, name);
        sendJson(response, 200, { ScheduleArn: put(driver, name, group, properties) });
        onChange();
        return true;
      }
      case 'GET':
        sendJson(response, 200, describe(find(driver, groupOf(query), name)));
        return true;
      case 'DELETE':
        find(driver, groupOf(query), name);
        driver.delete(groupOf(query), name);
        sendJson(response, 200, {});
        onChange();
        return true;
      default:
        return undefined;
    }
  };
}

function groupOf(query: URLSearchParams): string {
  return query.get('groupName') ?? 'default';
}

function find(driver: ScheduleDriver, group: string, name: string): ScheduleResource {
  const found = driver.get(group, name);
  if (found === undefined) throw new AwsError(404, 'ResourceNotFoundException', `Schedule ${name} does not exist.`);
  return found;
}

function put(driver: ScheduleDriver, name: string, group: string, properties: ScheduleProperties): string {
  const resource = scheduleResource(name, group, properties);
  try {
    driver.set(resource);
  } catch (error) {
    throw invalid(
      `Invalid Schedule Expression ${resource.expression}. ${error instanceof Error ? error.message : ''}`.trim(),
    );
  }
  return resource.arn;
}

/** Checks what CreateSchedule and UpdateSchedule check. */
function readProperties(
  request: EndpointRequest,
  groups: ReadonlySet<string>,
): { group: string; properties: ScheduleProperties } {
  let body: ScheduleProperties & { readonly GroupName?: unknown };
  try {
    body = JSON.parse(request.body) as typeof body;
  } catch {
    throw new AwsError(400, 'SerializationException', 'the request is not valid JSON');
  }
  const { GroupName: group = 'default', ...properties } = body;
  if (typeof group !== 'string' || (group !== 'default' && !groups.has(group))) {
    throw new AwsError(404, 'ResourceNotFoundException', `Schedule group ${String(group)} does not exist.`);
  }
  requireText(properties.ScheduleExpression, 'scheduleExpression');
  requireText(properties.Target?.Arn, 'target.arn');
  requireText(properties.Target?.RoleArn, 'target.roleArn');
  requireOneOf(properties.FlexibleTimeWindow?.Mode, 'flexibleTimeWindow.mode', ['OFF', 'FLEXIBLE']);
  if (properties.State !== undefined) requireOneOf(properties.State, 'state', ['ENABLED', 'DISABLED']);
  if (properties.ActionAfterCompletion !== undefined)
    requireOneOf(properties.ActionAfterCompletion, 'actionAfterCompletion', ['NONE', 'DELETE']);
  if (properties.Target?.Input !== undefined) {
    try {
      JSON.parse(String(properties.Target.Input));
    } catch {
      throw invalid('Provided Input is not valid JSON.');
    }
  }
  const timeZone = properties.ScheduleExpressionTimezone;
  if (timeZone !== undefined && !isTimeZone(String(timeZone)))
    throw invalid(`Provided ScheduleExpressionTimezone is not valid: ${String(timeZone)}`);
  return { group, properties };
}

function requireText(value: unknown, member: string): void {
  if (typeof value !== 'string' || value === '') {
    throw invalid(
      `1 validation error detected: Value null at '${member}' failed to satisfy constraint: Member must not be null`,
    );
  }
}

function requireOneOf(value: unknown, member: string, allowed: readonly string[]): void {
  if (typeof value !== 'string' || !allowed.includes(value)) {
    throw invalid(
      `1 validation error detected: Value '${String(value)}' at '${member}' failed to satisfy constraint: Member must satisfy enum value set: [${allowed.join(', ')}]`,
    );
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'ValidationException', message);
}

function describe(schedule: ScheduleResource): object {
  const seconds = (at: number | undefined) => (at === undefined ? undefined : at / 1000);
  return {
    ...schedule.properties,
    Arn: schedule.arn,
    Name: schedule.name,
    GroupName: schedule.group,
    ScheduleExpressionTimezone: schedule.timeZone,
    State: schedule.enabled ? 'ENABLED' : 'DISABLED',
    ActionAfterCompletion: schedule.deleteAfterCompletion ? 'DELETE' : 'NONE',
    StartDate: seconds(schedule.startAt),
    EndDate: seconds(schedule.endAt),
  };
}

function listSchedules(schedules: readonly ScheduleResource[], query: URLSearchParams): object {
  const group = query.get('ScheduleGroup');
  const prefix = query.get('NamePrefix') ?? '';
  const state = query.get('State');
  const size = Math.min(Number(query.get('MaxResults') ?? MAX_PAGE), MAX_PAGE);
  const from = Number(query.get('NextToken') ?? 0);
  const matching = schedules.filter(
    (schedule) =>
      (group === null || schedule.group === group) &&
      schedule.name.startsWith(prefix) &&
      (state === null || (state === 'ENABLED') === schedule.enabled),
  );
  return {
    Schedules: matching.slice(from, from + size).map((schedule) => ({
      Arn: schedule.arn,
      Name: schedule.name,
      GroupName: schedule.group,
      State: schedule.enabled ? 'ENABLED' : 'DISABLED',
      Target: { Arn: schedule.targetArn },
    })),
    ...(from + size < matching.length ? { NextToken: String(from + size) } : {}),
  };
}
