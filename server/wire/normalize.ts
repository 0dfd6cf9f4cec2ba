/** After this number of marks, UAX #15 (section 13) inserts a combining grapheme joiner. */
const MARKS_IN_A_RUN_MAX = 30;
const COMBINING_GRAPHEME_JOINER = '\u034f';
/** All characters that canonical ordering moves are marks. */
const LONG_RUN = new RegExp(`\\p{M}{${MARKS_IN_A_RUN_MAX}}(?=\\p{M})`, 'gu');

/**
 * Linear-time `String.prototype.normalize`, which sorts a run of marks in quadratic time: 160,000 marks take seconds.
 * Runs are split first, as UAX #15 recommends.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replace(LONG_RUN, `$&${COMBINING_GRAPHEME_JOINER}`).normalize(form);
