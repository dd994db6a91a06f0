import type { ConsoleCommand } from '../console-commands.ts';
import type { ConsoleChange, ConsoleRunDetail, ConsoleState } from '../console-state.ts';

const token = document.querySelector('meta[name=belfry-token]')?.getAttribute('content') ?? '';

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(path, {
    headers: { 'x-belfry-token': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Answer & { readonly message?: string };
  if (!response.ok) throw new Error(answer.message ?? `the console answered with ${response.status}`);
  return answer;
}

/** Returns what to tell the person. */
export async function command(asked: ConsoleCommand): Promise<string> {
  return (await ask<{ readonly message: string }>('/api/command', asked)).message;
}

export async function runDetail(job: string, scheduledTime: number): Promise<ConsoleRunDetail | undefined> {
  try {
    return await ask<ConsoleRunDetail>(
      `/api/run?${new URLSearchParams({ job, scheduledTime: String(scheduledTime) })}`,
    );
  } catch {
    return undefined;
  }
}

export interface Listener {
  state(state: ConsoleState): void;
  change(change: ConsoleChange): void;
  /** Whether the runtime can be heard. */
  connected(isConnected: boolean): void;
}

/** Keeps the page up to date. After a gap everything is asked for again, since changes may have been lost. */
export function connect(listener: Listener): void {
  const events = new EventSource(`/api/changes?${new URLSearchParams({ token })}`);
  let early: ConsoleChange[] | undefined;
  events.onopen = async () => {
    early = [];
    try {
      listener.state(await ask<ConsoleState>('/api/state'));
      listener.connected(true);
      for (const change of early) listener.change(change);
    } catch {
      // Another start has another token: this page is of the one before.
      location.reload();
    }
    early = undefined;
  };
  events.onmessage = ({ data }) => {
    const change = JSON.parse(String(data)) as ConsoleChange;
    if (early === undefined) listener.change(change);
    else early.push(change);
  };
  events.onerror = () => {
    listener.connected(false);
    // The browser gives up when the answer is a refusal, which is what a runtime that was started again says.
    if (events.readyState === EventSource.CLOSED) setTimeout(() => waitForRuntime(), 1_000);
  };
}

async function waitForRuntime(): Promise<void> {
  try {
    if ((await fetch('/')).ok) return location.reload();
  } catch {}
  setTimeout(() => waitForRuntime(), 1_000);
}
