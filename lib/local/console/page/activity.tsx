import { usePage } from './context.ts';
import { timeIn } from './format.ts';

/** What the runtime had to say, the newest first. */
export function Activity() {
  const { model, timeZone } = usePage();
  return (
    <section class="card" aria-labelledby="activity-title">
      <h2 id="activity-title">Messages</h2>
      {model.notes.length === 0 && <p class="empty">Nothing to report.</p>}
      <ol class="notes">
        {model.notes.toReversed().map(({ at, level, text }, index) => (
          <li key={model.notes.length - index} class={level}>
            <time dateTime={new Date(at).toISOString()}>{timeIn(timeZone, at)}</time> {text}
          </li>
        ))}
      </ol>
    </section>
  );
}
