import {
  ARRAY_CLOSE,
  ARRAY_OPEN,
  BACKSLASH,
  COMMA,
  LINE_FEED,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  SPACE,
} from '../tabular/json-structure.ts';

const COLON = 0x3a;
const MAX_KEY_BYTES = 200;
/** Maximum bytes of an object's text. The parsed object may take fifty times as much memory. */
const MAX_OBJECT_BYTES = 2_000_000;

type ItemHandlers = {
  /**
   * @param key key of the list in the outermost object; empty if the file itself is a list
   * @param number number of the object in the file, counted from 1
   */
  onItem(key: string, item: unknown, number: number): void;
  onBrokenItem(number: number, problem: string): void;
};

/**
 * Reads the objects in the lists of a JSON file of any size: `[{…}, …]`, or `{"name": [{…}, …], …}`. A broken object is
 * reported and skipped. After an unmatched bracket or quote, reading resumes at the latest at the next object with the
 * same indentation; after an unmatched `]`, which ends the list, at the next object.
 */
export const createJsonItemReader = ({ onItem, onBrokenItem }: ItemHandlers) => {
  let depth = 0;
  /** Depth of the lists with objects: 1 if the file is a list, 2 for lists in the outermost object, 0 while unknown. */
  let itemDepth = 0;
  let isInList = false;
  let isInString = false;
  let isEscaped = false;
  let key = '';
  let keyBytes: number[] = [];
  let isInItem = false;
  let chunks: Buffer[] = [];
  let length = 0;
  let isFaulty = false;
  let number = 0;
  /** White space at the beginning of the line so far, in bytes; -1 after anything else. */
  let column = 0;
  let itemColumn = -1;
  /** Last byte that is neither white space nor part of a string. */
  let previousByte = 0;
  let isTrailingContentReported = false;

  const endItem = (last: Buffer): void => {
    if (length <= MAX_OBJECT_BYTES) chunks.push(last);
    length += last.length;
    const text = chunks.length === 1 ? (chunks[0] ?? last) : Buffer.concat(chunks);
    const isTooLarge = length > MAX_OBJECT_BYTES;
    chunks = [];
    length = 0;
    isInItem = false;
    if (isTooLarge) return onBrokenItem(number, 'this entry is too large');
    if (isFaulty) return onBrokenItem(number, 'this entry is not valid JSON');
    let value: unknown;
    try {
      value = JSON.parse(text.toString());
    } catch {
      return onBrokenItem(number, 'this entry is not valid JSON');
    }
    onItem(key, value, number);
  };

  const beginItem = (): void => {
    isInItem = true;
    isFaulty = false;
    isTrailingContentReported = false;
    number += 1;
    depth = itemDepth + 1;
  };

  const abandon = (problem: string): void => {
    chunks = [];
    length = 0;
    isInItem = false;
    onBrokenItem(number, problem);
  };

  /**
   * Returns true for a byte outside the lists that cannot belong to the outermost object. A comma after the end of the
   * object, or of the list if the file is a list, is tolerated.
   */
  const isMisplaced = (byte: number): boolean =>
    depth === 0 ? byte !== COMMA : byte === ARRAY_CLOSE || (byte === OBJECT_OPEN && previousByte === COMMA);

  const push = (chunk: Buffer): void => {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
        else if (byte === LINE_FEED) {
          // A JSON string cannot contain a line break, so a quote is missing.
          isInString = false;
          isFaulty = true;
          column = 0;
        } else if (depth === 1 && itemDepth === 2 && keyBytes.length < MAX_KEY_BYTES) keyBytes.push(byte);
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
      const itemStartColumn = column;
      column = -1;
      if (depth < itemDepth && !isInItem && isMisplaced(byte)) {
        if (!isTrailingContentReported) onBrokenItem(number, 'the list ends after this entry, but the file continues');
        isTrailingContentReported = true;
        if (byte === ARRAY_CLOSE || byte === OBJECT_CLOSE) continue;
        if (byte === OBJECT_OPEN && depth === itemDepth - 1) {
          isInList = true;
          depth = itemDepth;
        }
      }
      previousByte = byte;
      if (byte === QUOTE) {
        isInString = true;
        if (depth === 1) keyBytes = [];
      } else if (byte === COLON) {
        if (depth === 1 && itemDepth === 2) key = Buffer.from(keyBytes).toString();
      } else if (byte === OBJECT_OPEN) {
        const isNextItem = isInItem && itemStartColumn > 0 && itemStartColumn === itemColumn;
        if (isNextItem) abandon('this entry is incomplete');
        if (isNextItem || (isInList && !isInItem && depth === itemDepth)) {
          if (itemStartColumn > 0) itemColumn = itemStartColumn;
          beginItem();
          start = index;
          continue;
        }
        depth += 1;
        if (itemDepth === 0) itemDepth = 2;
      } else if (byte === ARRAY_OPEN) {
        depth += 1;
        if (itemDepth === 0) itemDepth = 1;
        if (!isInItem && depth === itemDepth) isInList = true;
      } else if (byte === OBJECT_CLOSE) {
        if (isInList && !isInItem && depth === itemDepth)
          onBrokenItem(number, 'this entry is followed by an unmatched bracket');
        else depth -= 1;
        if (isInItem && depth === itemDepth) endItem(chunk.subarray(start, index + 1));
      } else if (byte === ARRAY_CLOSE) {
        depth -= 1;
        if (isInItem && depth <= itemDepth) abandon('this entry is incomplete');
        if (depth < itemDepth) isInList = false;
      }
    }
    if (!isInItem) return;
    const itemBytes = chunk.subarray(start);
    if (length <= MAX_OBJECT_BYTES) chunks.push(Buffer.from(itemBytes));
    length += itemBytes.length;
  };

  return {
    push,
    end(): void {
      if (isInItem) abandon('the file ends in the middle of this entry');
      else if (depth > 0) onBrokenItem(number, 'the file is incomplete: it ends after this entry');
    },
  };
};
