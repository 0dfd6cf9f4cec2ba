/** After this number of marks, UAX #15 (section 13) inserts a combining grapheme joiner. */
const MARKS_IN_A_RUN_MAX = 30;
const COMBINING_GRAPHEME_JOINER = '\u034f';
/** All characters that canonical ordering moves are marks. */
const LONG_RUN = new RegExp(`\\p{M}{${MARKS_IN_A_RUN_MAX}}(?=\\p{M})`, 'gu');

/**
 * Normalises a text. Splits long runs of combining marks first, as UAX #15 recommends: `String.prototype.normalize`
 * sorts a run in quadratic time, and 160,000 marks take seconds.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replace(LONG_RUN, `$&${COMBINING_GRAPHEME_JOINER}`).normalize(form);

/**
 * Reduces a text to lower-case ASCII letters, digits and single hyphens between them. Letters that NFKD decomposes keep
 * their base letter; anything else becomes a hyphen. Empty if the text contains no such letter or digit.
 */
export const slugify = (text: string): string =>
  normalizeText(text, 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '');
