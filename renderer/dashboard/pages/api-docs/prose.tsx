/** Text in which parts between backticks are rendered as code. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // Every second part was between backticks. The parts of a text are never reordered, so the index is a stable key.
    // oxlint-disable-next-line react/no-array-index-key
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}
