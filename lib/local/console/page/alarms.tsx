import type { ConsoleAlarm } from '../console-state.ts';
import { usePage } from './context.ts';
import { whenIn } from './format.ts';

const WORDS: { readonly [state: string]: string } = { ALARM: 'rings', OK: 'quiet', INSUFFICIENT_DATA: 'no data yet' };

export function Alarms() {
  const { model } = usePage();
  const inState = (state: string) =>
    model.alarms.filter((alarm) => alarm.state === state).sort((a, b) => (a.name < b.name ? -1 : 1));
  const quiet = inState('OK');
  return (
    <section class="card" aria-labelledby="alarms-title">
      <h2 id="alarms-title">Alarms</h2>
      {model.alarms.length === 0 && <p class="empty">The app declares none.</p>}
      <AlarmList alarms={[...inState('ALARM'), ...inState('INSUFFICIENT_DATA')]} />
      {quiet.length > 0 && (
        <details class="quiet-alarms">
          <summary>
            {quiet.length === model.alarms.length ? `All ${quiet.length} are quiet` : `${quiet.length} are quiet`}
          </summary>
          <AlarmList alarms={quiet} />
        </details>
      )}
    </section>
  );
}

function AlarmList({ alarms }: { readonly alarms: readonly ConsoleAlarm[] }) {
  const { model, timeZone } = usePage();
  return (
    <ul class="alarms">
      {alarms.map(({ name, state, severity, reason, since, description }) => (
        <li key={name} class={state}>
          <span class="alarm-state">{WORDS[state] ?? state}</span>
          <details open={state === 'ALARM'}>
            <summary>
              {name} <span class="severity">{severity}</span>
            </summary>
            <p class="alarm-text">{description}</p>
            {reason !== undefined && (
              <p class="alarm-text reason">
                {since !== undefined && `${whenIn(timeZone, since, model.clock.now)}: `}
                {reason}
              </p>
            )}
          </details>
        </li>
      ))}
    </ul>
  );
}
