const LINE_FEED = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COLON = 0x3a;
const ARRAY_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;
const MAX_KEY_BYTES = 200;
/** Bytes of one object: parsed, it may take fifty times as many. */
const MAX_OBJECT_BYTES = 2_000_000;

type Take = {
  /** @param key of the list in the outermost object; empty when the file is a list itself @param number counted from 1 */
  item(key: string, item: unknown, number: number): void;
  broken(number: number, problem: string): void;
};

/**
 * Reads the objects in the lists of a JSON file of any size: `[{…}, …]`, or `{"name": [{…}, …], …}`. A broken object is
 * reported and skipped; after unmatched brackets or quotes, reading resumes at the next object on the same level.
 */
export const createJsonItems = ({ item, broken }: Take) => {
  let depth = 0;
  /** At which depth the objects lie: 1 in a file that is a list, 2 in lists of the outermost object; 0 before it is known. */
  let itemDepth = 0;
  let inItems = false;
  let inString = false;
  let escaped = false;
  let key = '';
  let word: number[] = [];
  let reading = false;
  let pieces: Buffer[] = [];
  let length = 0;
  let faulty = false;
  let number = 0;
  /** Spaces at the beginning of the line so far; -1 after anything else. */
  let column = 0;
  let itemColumn = -1;

  const settle = (last: Buffer): void => {
    if (length <= MAX_OBJECT_BYTES) pieces.push(last);
    length += last.length;
    const text = pieces.length === 1 ? (pieces[0] ?? last) : Buffer.concat(pieces);
    const tooLarge = length > MAX_OBJECT_BYTES;
    pieces = [];
    length = 0;
    reading = false;
    if (tooLarge) return broken(number, 'this entry is too large');
    if (faulty) return broken(number, 'this entry is no JSON');
    let value: unknown;
    try {
      value = JSON.parse(text.toString());
    } catch {
      return broken(number, 'this entry is no JSON');
    }
    item(key, value, number);
  };

  const begin = (): void => {
    reading = true;
    faulty = false;
    number += 1;
    depth = itemDepth + 1;
  };

  const abandon = (problem: string): void => {
    pieces = [];
    length = 0;
    reading = false;
    broken(number, problem);
  };

  const push = (piece: Buffer): void => {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        else if (byte === LINE_FEED) {
          // No string of JSON goes over a line end: a quote is missing.
          inString = false;
          faulty = true;
          column = 0;
        } else if (depth === 1 && itemDepth === 2 && word.length < MAX_KEY_BYTES) word.push(byte);
        continue;
      }
      if (byte === LINE_FEED) {
        column = 0;
        continue;
      }
      if (byte <= SPACE) {
        if (column >= 0) column += 1;
        continue;
      }
      const here = column;
      column = -1;
      if (byte === QUOTE) {
        inString = true;
        if (depth === 1) word = [];
      } else if (byte === COLON) {
        if (depth === 1 && itemDepth === 2) key = Buffer.from(word).toString();
      } else if (byte === OBJECT_OPEN) {
        const again = reading && here > 0 && here === itemColumn;
        if (again) abandon('this entry does not end');
        if (again || (inItems && !reading && depth === itemDepth)) {
          if (here > 0) itemColumn = here;
          begin();
          start = at;
          continue;
        }
        depth += 1;
        if (itemDepth === 0) itemDepth = 2;
      } else if (byte === ARRAY_OPEN) {
        depth += 1;
        if (itemDepth === 0) itemDepth = 1;
        if (!reading && depth === itemDepth) inItems = true;
      } else if (byte === OBJECT_CLOSE) {
        if (inItems && !reading && depth === itemDepth) broken(number, 'a bracket too many follows this entry');
        else depth -= 1;
        if (reading && depth === itemDepth) settle(piece.subarray(start, at + 1));
      } else if (byte === ARRAY_CLOSE) {
        depth -= 1;
        if (reading && depth <= itemDepth) abandon('this entry does not end');
        if (depth < itemDepth) inItems = false;
      }
    }
    if (!reading) return;
    // Beyond the most that is looked at, the bytes are only counted.
    const rest = piece.subarray(start);
    if (length <= MAX_OBJECT_BYTES) pieces.push(Buffer.from(rest));
    length += rest.length;
  };

  return {
    push,
    end(): void {
      if (reading) abandon('the file ends in the middle of this entry');
      else if (depth > 0) broken(number, 'the file ends after this entry, and is not whole');
    },
  };
};
