/**
 * A text over lines of at most this width, indented, each further line by two more. A word that is longer has a line of
 * its own.
 */
export function wrapped(text: string, width: number, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const room = width - indent.length - (lines.length === 0 ? 0 : 2);
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((words, index) => `${indent}${index === 0 ? '' : '  '}${words}`);
}
