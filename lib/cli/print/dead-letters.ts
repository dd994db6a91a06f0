import Table from 'cli-table3';
import type { DeadLetterGroup } from '../../domain/operate/plan-dead-letters.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import type { LettersDone } from '../../local/operate/dead-letters.ts';

const MORE = 'The queue may hold more: look again when these are gone.';
const WIDEST_REASON = 72;

export function deadLettersJson(environment: string, groups: readonly DeadLetterGroup[], mayBeMore: boolean): object {
  return {
    environment,
    deadLetters: groups.map(({ event, from, why, givenUpAt, times }) => ({
      job: event?.job ?? null,
      scheduledTime: event === undefined ? null : formatInstant(event.scheduledTime),
      ...(event === undefined ? {} : { trigger: event.trigger }),
      from,
      why,
      givenUpAt: new Date(givenUpAt).toISOString(),
      times,
    })),
    mayBeMore,
  };
}

export function deadLettersText(environment: string, groups: readonly DeadLetterGroup[], mayBeMore: boolean): string {
  if (groups.length === 0) return `no dead letters in ${environment}\n`;
  const table = new Table({
    head: ['job', 'scheduled', 'given up', 'times', 'why'],
    style: { head: [], border: [], compact: true },
    wordWrap: true,
    colWidths: [null, null, null, null, WIDEST_REASON],
  });
  for (const { event, from, why, givenUpAt, times } of groups) {
    table.push([
      event?.job ?? (from === 'stream' ? '(lifecycle events)' : '(no event)'),
      event === undefined ? '' : formatInstant(event.scheduledTime),
      formatInstant(Math.floor(givenUpAt / 1_000) * 1_000),
      times,
      why,
    ]);
  }
  return `${table.toString()}\n${mayBeMore ? `${MORE}\n` : ''}`;
}

/** @param of whose there were none, if there were none */
export function lettersDoneText({ outcomes, mayBeMore }: LettersDone, of: string): string {
  const lines =
    outcomes.length === 0
      ? [`no dead letters of ${of}`]
      : outcomes.map(({ letter, became, why }) => `${letter} ${became}${why === undefined ? '' : `: ${why}`}`);
  return `${[...lines, ...(mayBeMore ? [MORE] : [])].join('\n')}\n`;
}
