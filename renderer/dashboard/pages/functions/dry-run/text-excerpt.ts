/** Longer text slows down the page. */
const EXCERPT_MAX_CHARS = 20_000;

/** Shortens a text to `maxChars` characters or fewer, if possible at a line break. */
export function firstLines(text: string, maxChars = EXCERPT_MAX_CHARS): string {
  if (text.length <= maxChars) return text;
  const end = text.lastIndexOf('\n', maxChars);
  return text.slice(0, end === -1 ? maxChars : end);
}
