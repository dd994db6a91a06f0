const MARKER = '…';

/** `text` in at most `limit` bytes of UTF-8; what was cut is replaced by a marker with the full length. */
export function shorten(text: string, limit: number): string {
  // A character of one UTF-16 unit takes at most three bytes: most texts need no counting.
  if (text.length * 3 <= limit) return text;
  const encoder = new TextEncoder();
  const bytes = encoder.encode(text);
  if (bytes.length <= limit) return text;
  const marker = `${MARKER}(${bytes.length} bytes)`;
  const room = limit - encoder.encode(marker).length;
  const head = new TextDecoder('utf-8').decode(bytes.subarray(0, Math.max(0, room)));
  // A character cut in two decodes to U+FFFD, which takes three bytes again.
  return `${head.replace(/\uFFFD+$/, '')}${marker}`;
}
