import { usePage } from './context.ts';
import { whenIn } from './format.ts';

const ORDER = ['ALARM', 'INSUFFICIENT_DATA', 'OK'];
const WORDS: { readonly [state: string]: string } = { ALARM: 'rings', OK: 'quiet', INSUFFICIENT_DATA: 'no data yet' };

export function Alarms() {
  const { model, timeZone } = usePage();
  const alarms = model.alarms.toSorted(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.name < b.name ? -1 : 1),
  );
  return (
    <section class="card" aria-labelledby="alarms-title">
      <h2 id="alarms-title">Alarms</h2>
      {alarms.length === 0 && <p class="empty">The app declares none.</p>}
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
    </section>
  );
}
