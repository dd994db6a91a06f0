import { type Alarm, AlarmMuteRule, ScheduleExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { type Duration, TimeZone } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { muteRuleName } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import { zoneNamed } from '../domain/time/zone.ts';
import type { QuietWindow } from '../domain/watch/maintenance-window.ts';

/** A time, over and over, in which alarms tell nobody. */
export interface MaintenanceWindow {
  /** When it begins: five fields as in unix, of which CloudWatch takes lists, ranges and `*`, no steps and no names. */
  readonly begins: string;
  /** IANA name of the zone whose clock is meant. */
  readonly timeZone: string;
  /** From one minute to fifteen days. */
  readonly lasts: Duration;
}

export interface MaintenanceProps {
  /** What to keep quiet. */
  readonly alarms: readonly Alarm[];
  /**
   * When. Short, and alarms ring over work that is meant; long, and a fault that has nothing to do with it is told when it is
   * over.
   */
  readonly windows: readonly MaintenanceWindow[];
  /** What the rules' names begin with: the scheduler's prefix. */
  readonly prefix: string;
}

/** CloudWatch takes so many alarms in a rule. */
const ALARMS_PER_RULE = 100;
const FIELD = /^[\d*,-]+$/;
const SHORTEST_MINUTES = 1;
const LONGEST_DAYS = 15;

/** Keeps alarms quiet while work is done on what they watch; give the watchdog the same windows. They still change their state: what lasts is told afterwards. */
export class Maintenance extends Construct {
  constructor(scope: Construct, id: string, { alarms, windows, prefix }: MaintenanceProps) {
    super(scope, id);
    for (const [index, window] of windows.entries()) {
      const [minute, hour, day, month, weekDay] = fieldsOf(window);
      for (let start = 0; start < alarms.length; start += ALARMS_PER_RULE) {
        const part = start / ALARMS_PER_RULE;
        new AlarmMuteRule(this, part === 0 ? `Window${index}` : `Window${index}-${part}`, {
          alarmMuteRuleName: muteRuleName(prefix, index, part),
          description: `maintenance ${window.begins} ${window.timeZone}, ${window.lasts.toHumanString()}`,
          schedule: ScheduleExpression.expression(
            `cron(${minute} ${hour} ${day} ${month} ${weekDay})`,
            TimeZone.of(window.timeZone),
          ),
          duration: window.lasts,
          alarms: alarms.slice(start, start + ALARMS_PER_RULE),
        });
      }
    }
  }
}

/** The window as the watchdog reads it. */
export function quietWindow(window: MaintenanceWindow): QuietWindow {
  fieldsOf(window);
  const { begins, timeZone, lasts } = window;
  return { begins, timeZone, lastsMs: lasts.toMilliseconds() };
}

function fieldsOf({ begins, timeZone, lasts }: MaintenanceWindow): string[] {
  const fields = begins.trim().split(/\s+/);
  if (fields.length !== 5 || !fields.every((field) => FIELD.test(field))) {
    throw new BelfryError(
      'IllegalMaintenanceWindow',
      `maintenance window '${begins}' has a beginning that CloudWatch does not allow: use five fields of numbers, lists, ranges and *, e.g. '0 2 * * 0' for Sundays at two`,
    );
  }
  if (lasts.toMinutes() < SHORTEST_MINUTES || lasts.toDays({ integral: false }) > LONGEST_DAYS) {
    throw new BelfryError(
      'IllegalMaintenanceWindow',
      `maintenance window '${begins}' lasts ${lasts.toHumanString()}: allowed are 1 minute to 15 days: choose a length in this range`,
    );
  }
  zoneNamed(timeZone);
  return fields;
}
