export interface Meters {
  readonly durationMs: number;
  /** Largest resident size seen, 0 where the system does not tell. */
  readonly maxMemoryMb: number;
}

/** How one invocation of a function ended, in the words of the Invoke API. */
export type InvocationOutcome = Meters &
  (
    | { readonly ok: true; readonly payload: string }
    | {
        readonly ok: false;
        /** JSON: `{ errorType, errorMessage, trace? }`. */
        readonly payload: string;
        /** What the process did: reported an error, was killed for its timeout, ended by itself, or never came up. */
        readonly failure: 'error' | 'timeout' | 'exit' | 'init';
      }
  );

export function errorPayload(errorType: string, errorMessage: string): string {
  return JSON.stringify({ errorType, errorMessage });
}

/** `errorType` and `errorMessage` of a failed invocation; text that is no such JSON becomes the message. */
export function readErrorPayload(payload: string): { errorType: string; errorMessage: string } {
  try {
    const { errorType, errorMessage } = JSON.parse(payload) as { errorType?: unknown; errorMessage?: unknown };
    return { errorType: String(errorType ?? 'Error'), errorMessage: String(errorMessage ?? '') };
  } catch {
    return { errorType: 'Error', errorMessage: payload };
  }
}

/** The stack of a failed invocation, a frame a line; nothing when its process did not live to tell. */
export function readErrorStack(payload: string): string {
  try {
    const { trace } = JSON.parse(payload) as { trace?: unknown };
    return Array.isArray(trace) ? trace.join('\n') : '';
  } catch {
    return '';
  }
}
