import { rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { eachLine } from './each-line.ts';
import { CHANNEL_DESCRIPTOR, type HostMessage, type ProcessMessage } from './host-messages.ts';

/**
 * The function's side of its line to the runtime. It keeps nothing alive but a wait for the next invocation, and ends the
 * process when the runtime is gone, however that ended.
 */
const socket = new Socket({ fd: CHANNEL_DESCRIPTOR, readable: true, writable: true });
/** Asked for before the handler can change it. */
const temporaryFolder = tmpdir();
const listeners = new Set<(message: HostMessage) => void>();

socket.on('end', endOrphan).on('error', endOrphan);
eachLine(socket, (line) => {
  const message = JSON.parse(line) as HostMessage;
  for (const listener of listeners) listener(message);
});
socket.unref();

/** Nobody is left to answer to, or to clear up. */
function endOrphan(): void {
  try {
    rmSync(temporaryFolder, { recursive: true, force: true });
  } finally {
    process.exit(1);
  }
}

export function onHostMessage(listener: (message: HostMessage) => void): void {
  listeners.add(listener);
}

export function tellHost(message: ProcessMessage): void {
  // What is said in one go travels in one go.
  if (socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(() => socket.uncork());
  }
  socket.write(`${JSON.stringify(message)}\n`);
}

/** Keeps the process alive until the next invocation has come. */
export function keepAlive(alive: boolean): void {
  if (alive) socket.ref();
  else socket.unref();
}
