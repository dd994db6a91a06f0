/** A value from outside as it may stand in a message: in quotes, on one line, printable, never long. */
export function quote(value: unknown): string {
  if (typeof value !== 'string') {
    if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean') {
      return String(value);
    }
    return Array.isArray(value) ? `a list of ${value.length}` : `a value of type ${typeof value}`;
  }
  const shown = value.length > 60 ? value.slice(0, 60) : value;
  const printable = shown.replace(/[^\x20-\x7e]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `<U+${code}>`;
  });
  return value.length > shown.length ? `'${printable}…' (${value.length} characters)` : `'${printable}'`;
}
