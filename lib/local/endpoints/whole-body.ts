import type { IncomingMessage } from 'node:http';

/** Calls `onBody` with all of a request's body as text, once it has come; not at all when it is broken off. */
export function wholeBody(request: IncomingMessage, onBody: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    // Made a text at once: a chunk may end within a character.
    const [first] = chunks;
    onBody((chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)).toString('utf8'));
  });
}
