import { visit } from 'jsonc-parser';

/** Returns the source text of a member of a JSON object; undefined if the object has no such member. */
export function memberText(text: string, name: string): string | undefined {
  let depth = 0;
  let isMatch = false;
  let start: number | undefined;
  let end = 0;
  const begin = (offset: number): void => {
    if (depth === 1 && isMatch) start ??= offset;
  };
  const finish = (offset: number): void => {
    if (depth === 1 && isMatch) end = offset;
  };
  const open = (offset: number): void => {
    begin(offset);
    depth += 1;
  };
  const close = (offset: number, length: number): void => {
    depth -= 1;
    finish(offset + length);
  };
  visit(text, {
    onObjectBegin: open,
    onArrayBegin: open,
    onObjectEnd: close,
    onArrayEnd: close,
    onObjectProperty: (property) => {
      if (depth === 1) isMatch = property === name;
    },
    onLiteralValue: (_value, offset, length) => {
      begin(offset);
      finish(offset + length);
    },
  });
  return start === undefined ? undefined : text.slice(start, end);
}
