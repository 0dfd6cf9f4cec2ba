import { decodedString, stringEnd } from './strings.ts';

/**
 * Walks over JSON texts that were checked and minified when they were stored, without parsing them: 1.0 and 12345678901234567890 come out as
 * they went in.
 */

const QUOTE = '"';

/**
 * Calls `visit` for each member of the object that begins at `at`, with the decoded name and the place of its value; `visit` returns where the
 * value ends. Returns where the object ends.
 */
export function eachMember(text: string, at: number, visit: (name: string, valueStart: number) => number): number {
  let place = at + 1;
  if (text[place] === '}') return place + 1;
  for (;;) {
    const nameEnd = stringEnd(text, place) + 1;
    place = visit(decodedString(text.slice(place, nameEnd)), nameEnd + 1);
    if (text[place] !== ',') return place + 1;
    place += 1;
  }
}

/** Where the value that begins at `at` ends. */
export function valueEnd(text: string, at: number): number {
  const first = text[at];
  if (first === QUOTE) return stringEnd(text, at) + 1;
  let place = at;
  if (first !== '{' && first !== '[') {
    while (place < text.length && !isEndOfToken(text[place])) place += 1;
    return place;
  }
  let depth = 0;
  do {
    const character = text[place];
    if (character === QUOTE) {
      place = stringEnd(text, place) + 1;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    place += 1;
  } while (depth > 0 && place < text.length);
  return place;
}

function isEndOfToken(character: string | undefined): boolean {
  return character === ',' || character === '}' || character === ']';
}
