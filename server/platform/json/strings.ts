/** Strings inside JSON texts that were checked before, found without parsing the rest. */

const BACKSLASH = '\\';

/** Index of the quote that ends the string that begins at `open`; -1 when there is none. */
export function stringEnd(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let at = quote;
    while (json[at - 1] === BACKSLASH) at -= 1;
    if ((quote - at) % 2 === 0) return quote;
  }
  return -1;
}

/** The text that a string with its quotes stands for. */
export function decodedString(written: string): string {
  return written.includes(BACKSLASH) ? String(JSON.parse(written)) : written.slice(1, -1);
}
