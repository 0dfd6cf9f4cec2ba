/** Matches what the owner types in the command palette with names of pages and actions. Tolerates one typing error per word. */

/** Characters of a word from which one typing error is tolerated. */
const TYPO_MIN_CHARS = 4;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Returns true if the texts are equal after one character is inserted, removed, replaced, or swapped with the next one. */
function isOneEditApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return isSwapped || restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1);
}

/** Returns how well a typed word matches: 0 exactly or as a beginning, 1 within the word, 2 with a typing error, undefined not at all. */
function distanceOf(typed: string, words: readonly string[]): number | undefined {
  if (words.some((word) => word.startsWith(typed))) return 0;
  if (typed.length > 2 && words.some((word) => word.includes(typed))) return 1;
  const isTypo = (word: string): boolean =>
    isOneEditApart(typed, word) || isOneEditApart(typed, word.slice(0, typed.length));
  return typed.length >= TYPO_MIN_CHARS && words.some(isTypo) ? 2 : undefined;
}

/**
 * Returns the rank of an entry for a typed text, lower is better; undefined if a word of the text does not match. Matches in
 * the label come before those in the description and the synonyms.
 */
export function rankOf(typed: string, label: string, others: string): number | undefined {
  let rank = 0;
  for (const word of wordsOf(typed)) {
    const inLabel = distanceOf(word, wordsOf(label));
    const inOthers = distanceOf(word, wordsOf(others));
    if (inLabel === undefined && inOthers === undefined) return undefined;
    rank += Math.min(inLabel ?? Infinity, (inOthers ?? Infinity) + 1);
  }
  return rank;
}

interface PaletteEntry {
  label?: string;
  description?: string;
  keywords?: string | string[];
}

/** Returns the entries that match a typed text, the best first. */
export function matchEntries<Entry extends PaletteEntry>(typed: string, entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({
      entry,
      rank: rankOf(typed, entry.label ?? '', [entry.description ?? '', entry.keywords ?? ''].flat().join(' ')),
    }))
    .flatMap(({ entry, rank }) => (rank === undefined ? [] : [{ entry, rank }]))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}
