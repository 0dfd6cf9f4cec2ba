/** Matches the input of the command palette with names of pages and actions. Tolerates one typing error per word. */

/** Length of a word from which one typing error is tolerated. */
const TYPO_MIN_CHARS = 4;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Returns true if inserting, removing, replacing or swapping one character makes the texts equal. */
function isOneEditApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return isSwapped || restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1);
}

/** Returns the distance of a word: 0 for a prefix, 1 for a substring, 2 for a typing error; else undefined. */
function distanceOf(input: string, words: readonly string[]): number | undefined {
  if (words.some((word) => word.startsWith(input))) return 0;
  if (input.length > 2 && words.some((word) => word.includes(input))) return 1;
  const isTypo = (word: string): boolean =>
    isOneEditApart(input, word) || isOneEditApart(input, word.slice(0, input.length));
  return input.length >= TYPO_MIN_CHARS && words.some(isTypo) ? 2 : undefined;
}

/**
 * Returns the rank of an entry, lower is better; undefined if a word of the input does not match. Matches in the label
 * rank before matches in the description and the synonyms.
 */
export function rankOf(input: string, label: string, otherTexts: string): number | undefined {
  let rank = 0;
  for (const word of wordsOf(input)) {
    const inLabel = distanceOf(word, wordsOf(label));
    const inOthers = distanceOf(word, wordsOf(otherTexts));
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

/** Returns the entries that match the input, best first. */
export function matchEntries<Entry extends PaletteEntry>(input: string, entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({
      entry,
      rank: rankOf(input, entry.label ?? '', [entry.description ?? '', entry.keywords ?? ''].flat().join(' ')),
    }))
    .flatMap(({ entry, rank }) => (rank === undefined ? [] : [{ entry, rank }]))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}
