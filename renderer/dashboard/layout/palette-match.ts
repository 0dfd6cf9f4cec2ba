// Matches the input of the command palette with names and keywords. Tolerates one typing error per word.

/** Shorter words must match without a typing error. */
const TYPO_MIN_CHARS = 4;
const MAX_GROUP_ENTRIES = 6;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Returns true if the words differ by at most one insertion, removal, replacement or swap of adjacent characters. */
function isOneEditApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const isSwapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  return isSwapped || restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1);
}

/** Returns 0 for a prefix, 1 for a substring, 2 for a typing error; undefined without a match. */
function distanceOf(input: string, words: readonly string[]): number | undefined {
  if (words.some((word) => word.startsWith(input))) return 0;
  if (input.length > 2 && words.some((word) => word.includes(input))) return 1;
  const isTypo = (word: string): boolean =>
    isOneEditApart(input, word) || isOneEditApart(input, word.slice(0, input.length));
  return input.length >= TYPO_MIN_CHARS && words.some(isTypo) ? 2 : undefined;
}

/** Returns a rank; undefined if an input word does not match. Lower is better; a match in `otherTexts` adds one. */
export function rankOf(input: string, label: string, otherTexts: string): number | undefined {
  let rank = 0;
  for (const word of wordsOf(input)) {
    const labelDistance = distanceOf(word, wordsOf(label));
    const otherDistance = distanceOf(word, wordsOf(otherTexts));
    if (labelDistance === undefined && otherDistance === undefined) return undefined;
    rank += Math.min(labelDistance ?? Infinity, (otherDistance ?? Infinity) + 1);
  }
  return rank;
}

interface PaletteEntry {
  label?: string;
  keywords?: string | string[];
}

/** Returns the best matches first. Ignores descriptions, which can contain counts or dates. */
export function matchEntries<Entry extends PaletteEntry>(input: string, entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({
      entry,
      rank: rankOf(input, entry.label ?? '', [entry.keywords ?? ''].flat().join(' ')),
    }))
    .flatMap(({ entry, rank }) => (rank === undefined ? [] : [{ entry, rank }]))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

export interface PaletteGroup<Entry> {
  group: string;
  actions: readonly Entry[];
  /** `command`: pages and actions; `name`: items matched by name; `content`: records and files found by the server. */
  kind: 'command' | 'name' | 'content';
}

/** Returns a sort key. Groups with equal keys keep their order. */
function positionOf<Entry extends PaletteEntry>(input: string, { kind, actions: [best] }: PaletteGroup<Entry>): number {
  if (kind === 'command') return 0;
  if (kind === 'content') return 2;
  return rankOf(input, best?.label ?? '', '') === 0 ? 1 : 3;
}

/**
 * Returns the groups to show, with their best entries, in this order: pages and actions, prefix matches of names,
 * records and files, weaker matches of names. Without input, returns all pages and actions. Omits groups without
 * matches, because Spotlight shows "nothing found" only if there are no groups.
 */
export function arrangeGroups<Entry extends PaletteEntry>(
  input: string,
  groups: readonly PaletteGroup<Entry>[],
): { group: string; actions: Entry[] }[] {
  if (wordsOf(input).length === 0)
    return groups.flatMap(({ group, actions, kind }) => (kind === 'command' ? [{ group, actions: [...actions] }] : []));
  return groups
    .map(({ group, actions, kind }) => ({
      group,
      kind,
      actions: kind === 'content' ? [...actions] : matchEntries(input, actions).slice(0, MAX_GROUP_ENTRIES),
    }))
    .filter(({ actions }) => actions.length > 0)
    .toSorted((a, b) => positionOf(input, a) - positionOf(input, b))
    .map(({ group, actions }) => ({ group, actions }));
}
