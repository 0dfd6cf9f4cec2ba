/** Texts for the SQL operator LIKE. */

/** Returns the pattern of `LIKE … ESCAPE '\\'` that matches this text. Escapes wildcards. */
export const likeWholePattern = (text: string): string => text.replaceAll(/[\\%_]/gu, String.raw`\$&`);

/** Returns the pattern of `LIKE … ESCAPE '\\'` that matches texts which contain this text. Escapes wildcards. */
export const likePattern = (text: string): string => `%${likeWholePattern(text)}%`;

/**
 * Returns the spellings of a text that LIKE distinguishes, because it ignores case only in ASCII: as typed, in lower
 * case, in upper case, and with a capital letter at the beginning.
 */
export const likeSpellings = (text: string): string[] => {
  if (/^[\p{ASCII}]*$/u.test(text)) return [text];
  const lowerCase = text.toLowerCase();
  const [first = ''] = lowerCase;
  return [...new Set([text, lowerCase, text.toUpperCase(), first.toUpperCase() + lowerCase.slice(first.length)])];
};
