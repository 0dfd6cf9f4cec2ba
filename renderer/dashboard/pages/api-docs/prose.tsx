/** A description with its `code` in code. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, at) =>
    // Every second part stood between backticks; the parts of a text never change places.
    // oxlint-disable-next-line react/no-array-index-key
    at % 2 === 1 ? <code key={at}>{part}</code> : part,
  );
}
