/** Text with code spans: text between backticks is rendered as code. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((segment, index) =>
    // Every second segment was between backticks. Segments are never reordered, so the index is a stable key.
    // oxlint-disable-next-line react/no-array-index-key
    index % 2 === 1 ? <code key={index}>{segment}</code> : segment,
  );
}
