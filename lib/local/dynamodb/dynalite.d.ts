declare module 'dynalite' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  interface DynaliteOptions {
    /** Folder of the store. Without one the data is in memory. */
    readonly path?: string;
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  }

  /** A server that answers the DynamoDB API on its `request` event. */
  export default function dynalite(options?: DynaliteOptions): Server<typeof IncomingMessage, typeof ServerResponse>;
}
