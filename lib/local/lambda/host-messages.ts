/** What the runtime tells a function's process, one JSON object a line. */
export type HostMessage =
  /** The next invocation. */
  | {
      readonly kind: 'invoke';
      readonly requestId: string;
      readonly payload: string;
      readonly headers: { readonly [name: string]: string };
      /** Virtual minus real time, milliseconds. */
      readonly clockOffset: number;
      /** The clock may go ahead while this process only waits for timers. */
      readonly mayRest: boolean;
    }
  /** The clock went ahead while the process rested. */
  | { readonly kind: 'wake'; readonly clockOffset: number };

/** What a function's process tells the runtime. */
export type ProcessMessage =
  | { readonly kind: 'next' }
  | { readonly kind: 'response'; readonly requestId: string; readonly body: string }
  | { readonly kind: 'error'; readonly requestId: string; readonly body: string }
  /** Nothing happens in the process before its clock shows `until`. */
  | { readonly kind: 'rest'; readonly until: number };

/** The descriptor that carries both in the process. */
export const CHANNEL_DESCRIPTOR = 3;
