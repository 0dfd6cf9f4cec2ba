import type { BankOptions, ImportRun } from '../../../../wire/imports.ts';
import { ENTRY_KINDS, type EntryKind } from '../parsing/entries.ts';

export type ImportOptions = { readonly kinds?: readonly string[]; readonly bank?: BankOptions };

/** Returns the options of a request for an export or a bank statement; undefined for any other file. */
export const optionsOf = (request: ImportRun): ImportOptions | undefined => {
  if (request.format === 'known') return { kinds: [...new Set(request.kinds)].toSorted() };
  return request.format === 'bank' ? { bank: request.bank } : undefined;
};

export const optionsText = (options: ImportOptions): string => JSON.stringify(options);

export const selectionOf = (row: {
  options: string | null;
}): { selected: EntryKind[]; bank: BankOptions | undefined } => {
  const options = row.options === null ? {} : (JSON.parse(row.options) as ImportOptions);
  const names = options.bank === undefined ? (options.kinds ?? []) : ['bank/transactions'];
  return { selected: ENTRY_KINDS.filter((kind) => names.includes(kind)), bank: options.bank };
};

/** A file without a path is a range of the uploaded content. */
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
