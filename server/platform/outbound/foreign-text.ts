const MAX_LINE_CHARS = 300;

/** Replaces white space, control and format characters with single spaces. Truncates the text to 300 characters. */
export const toSingleLine = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
};
