import type { BankOptions, ImportRun } from '../../../../wire/imports.ts';
import { KINDS, type Kind } from '../parsing/entries.ts';

/** What of an export is wanted, and how it is read, as it is kept with an import. */
export type ImportOptions = { readonly kinds?: readonly string[]; readonly bank?: BankOptions };

/** What a run asks of an export whose kinds are known, or of a bank statement; undefined for any other file. */
export const optionsOf = (request: ImportRun): ImportOptions | undefined => {
  if (request.format === 'known') return { kinds: [...new Set(request.kinds)].toSorted() };
  return request.format === 'bank' ? { bank: request.bank } : undefined;
};

export const optionsText = (options: ImportOptions): string => JSON.stringify(options);

export const wantedOf = (row: { options: string | null }): { wanted: Kind[]; bank: BankOptions | undefined } => {
  const options = row.options === null ? {} : (JSON.parse(row.options) as ImportOptions);
  const asked = options.bank === undefined ? (options.kinds ?? []) : ['bank/transactions'];
  return { wanted: KINDS.filter((kind) => asked.includes(kind)), bank: options.bank };
};

/** One of the files of an import that lie end to end, or where they are. */
export type ImportPart = {
  readonly name: string;
  readonly size: number;
  readonly path?: string;
  readonly changed?: number;
};

export const partsOf = (row: { parts: string | null; file_name: string; size: number }): readonly ImportPart[] =>
  row.parts === null ? [{ name: row.file_name, size: row.size }] : (JSON.parse(row.parts) as ImportPart[]);

/** Bytes of a common name that is worth showing. */
const SHORTEST_STEM = 6;

/** What several files are called together: what their names have in common, or how many they are besides the first. */
export const nameOfParts = (names: readonly string[]): string => {
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  let length = first.length;
  for (const name of others) {
    let same = 0;
    while (same < length && name[same] === first[same]) same += 1;
    length = same;
  }
  const stem = first.slice(0, length).replace(/[-_ .(]*\d{0,3}$/u, '');
  return stem.length >= SHORTEST_STEM ? `${stem} (${names.length} files)` : `${first} + ${others.length}`;
};
