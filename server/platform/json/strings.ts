const BACKSLASH = '\\';

/** Returns the index of the quote that ends the string at index `open`; -1 if there is none. */
export function findStringEnd(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let offset = quote;
    while (json[offset - 1] === BACKSLASH) offset -= 1;
    if ((quote - offset) % 2 === 0) return quote;
  }
  return -1;
}

export function decodeString(literal: string): string {
  return literal.includes(BACKSLASH) ? String(JSON.parse(literal)) : literal.slice(1, -1);
}
