/** Returns the pattern for `LIKE … ESCAPE '\'` that matches only the whole text, ignoring the case of ASCII letters. */
export const likeWholePattern = (text: string): string => text.replaceAll(/[\\%_]/gu, String.raw`\$&`);

/** Returns the pattern for `LIKE … ESCAPE '\'` that matches any text that contains this text. */
export const likePattern = (text: string): string => `%${likeWholePattern(text)}%`;

/**
 * Returns the common spellings of a text that LIKE distinguishes, because LIKE ignores case only in ASCII: as typed,
 * lower case, upper case, and capitalised.
 */
export const likeSpellings = (text: string): string[] => {
  if (/^[\p{ASCII}]*$/u.test(text)) return [text];
  const lowerCase = text.toLowerCase();
  const [first = ''] = lowerCase;
  return [...new Set([text, lowerCase, text.toUpperCase(), first.toUpperCase() + lowerCase.slice(first.length)])];
};
