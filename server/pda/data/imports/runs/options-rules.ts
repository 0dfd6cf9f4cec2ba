import type { BankOptions, ImportRun } from '../../../../wire/imports.ts';
import { ENTRY_KINDS, type EntryKind } from '../parsing/entries.ts';

type ImportOptions = { readonly kinds?: readonly string[]; readonly bank?: BankOptions };

/** Returns the selected kinds of an export or the options of a bank statement as JSON; null for any other file. */
export const optionsTextOf = (request: ImportRun): string | null => {
  if (request.format === 'bank') return JSON.stringify({ bank: request.bank } satisfies ImportOptions);
  if (request.format !== 'known') return null;
  return JSON.stringify({ kinds: [...new Set(request.kinds)].toSorted() } satisfies ImportOptions);
};

export const selectionOf = (optionsText: string | null): { selected: EntryKind[]; bank: BankOptions | undefined } => {
  const { bank, kinds = [] } = JSON.parse(optionsText ?? '{}') as ImportOptions;
  const names = bank === undefined ? kinds : ['bank/transactions'];
  return { selected: ENTRY_KINDS.filter((kind) => names.includes(kind)), bank };
};

/** One file of an import. A file without a path is a range of the uploaded content. */
export type ImportPart = {
  readonly name: string;
  readonly size: number;
  readonly path?: string;
  readonly changed?: number;
};

export const partsOf = (row: { parts: string | null; file_name: string; size: number }): readonly ImportPart[] =>
  row.parts === null ? [{ name: row.file_name, size: row.size }] : (JSON.parse(row.parts) as ImportPart[]);

/** Minimum length of a common prefix that is shown as the name. */
const MIN_STEM_CHARS = 6;

/** Returns the name of an import, such as `a.zip`, `takeout-2024 (3 files)` or, without a common name, `a.zip + 2`. */
export const nameOfParts = (names: readonly string[]): string => {
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  let length = first.length;
  for (const name of others) {
    let commonChars = 0;
    while (commonChars < length && name[commonChars] === first[commonChars]) commonChars += 1;
    length = commonChars;
  }
  const stem = first.slice(0, length).replace(/[-_ .(]*\d{0,3}$/u, '');
  return stem.length >= MIN_STEM_CHARS ? `${stem} (${names.length} files)` : `${first} + ${others.length}`;
};
