import { decodeString, findStringEnd } from './strings.ts';

// Reads validated, minified texts without parsing them, so that 1.0 and 12345678901234567890 are copied exactly.

const QUOTE = '"';

/**
 * Calls `visit` for each member of the object at `offset`; `visit` returns the index after the value. Returns the index
 * after the object.
 */
export function forEachMember(
  text: string,
  offset: number,
  visit: (name: string, valueStart: number) => number,
): number {
  let index = offset + 1;
  if (text[index] === '}') return index + 1;
  for (;;) {
    const nameEnd = findStringEnd(text, index) + 1;
    index = visit(decodeString(text.slice(index, nameEnd)), nameEnd + 1);
    if (text[index] !== ',') return index + 1;
    index += 1;
  }
}

export function findValueEnd(text: string, offset: number): number {
  const first = text[offset];
  if (first === QUOTE) return findStringEnd(text, offset) + 1;
  let index = offset;
  if (first !== '{' && first !== '[') {
    while (index < text.length && !isEndOfToken(text[index])) index += 1;
    return index;
  }
  let depth = 0;
  do {
    const character = text[index];
    if (character === QUOTE) {
      index = findStringEnd(text, index) + 1;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    index += 1;
  } while (depth > 0 && index < text.length);
  return index;
}

function isEndOfToken(character: string | undefined): boolean {
  return character === ',' || character === '}' || character === ']';
}
