import { z } from 'zod';
import { BelfryError } from '../../domain/errors.ts';
import type { ConsoleSource } from './console-source.ts';

const instant = z.number().int().nonnegative();

/** What the page may ask for; `do` says what. */
const command = z.discriminatedUnion('do', [
  z.object({ do: z.literal('trigger'), job: z.string() }),
  z.object({
    do: z.literal('pause'),
    job: z.string(),
    note: z.string().trim().min(1, 'a pause needs a note: say why').max(200),
  }),
  z.object({ do: z.literal('resume'), job: z.string() }),
  z.object({ do: z.literal('skip'), job: z.string(), scheduledTime: instant }),
  z.object({ do: z.literal('backfill'), job: z.string(), from: instant, to: instant }),
  z.object({ do: z.literal('pauseClock') }),
  z.object({ do: z.literal('resumeClock') }),
  z.object({ do: z.literal('step') }),
  z.object({ do: z.literal('jump'), to: instant }),
  z.object({ do: z.literal('setSpeed'), speed: z.number().min(1).max(1_000_000) }),
]);

export type ConsoleCommand = z.infer<typeof command>;

/** @throws BelfryError `MalformedCommand` */
export function parseCommand(body: unknown): ConsoleCommand {
  const parsed = command.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new BelfryError(
    'MalformedCommand',
    parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; '),
  );
}

/** Carries a command out. Returns what to tell the person. */
export async function carryOut(source: ConsoleSource, asked: ConsoleCommand): Promise<string> {
  const { actions, clock } = source;
  switch (asked.do) {
    case 'trigger':
      return `${asked.job} was asked to run, as ${iso(await actions.trigger(asked.job))}`;
    case 'pause':
      await actions.pause(asked.job, asked.note);
      return `${asked.job} is paused`;
    case 'resume':
      await actions.resume(asked.job);
      return `${asked.job} goes on`;
    case 'skip':
      await actions.skip(asked.job, asked.scheduledTime);
      return `${asked.job} skips ${iso(asked.scheduledTime)}`;
    case 'backfill': {
      const count = await actions.backfill(asked.job, asked.from, asked.to);
      return `${asked.job} was asked for ${count} ${count === 1 ? 'occurrence' : 'occurrences'}`;
    }
    case 'pauseClock':
      clock.pause();
      return 'the clock stands';
    case 'resumeClock':
      clock.resume();
      return 'the clock runs';
    case 'step': {
      const at = clock.step();
      return at === undefined ? 'nothing is due any more' : `on to ${iso(at)}`;
    }
    case 'jump':
      clock.jump(asked.to);
      return `on to ${iso(asked.to)}`;
    case 'setSpeed':
      clock.setSpeed(asked.speed);
      return asked.speed === 1 ? 'the clock runs at real pace' : `the clock runs ${asked.speed} times as fast`;
  }
}

function iso(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}
