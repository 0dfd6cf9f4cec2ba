import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { BankOptions, DetectedExport, ImportPreview } from '../../../../wire/imports.ts';
import { withoutLine, type ImportFormat } from '../tabular/element-reader.ts';
import { guessFormat } from '../tabular/format-detection.ts';
import { bankEncodingOf, bankLinesOf } from '../formats/bank.ts';
import { BANK_SEPARATORS, cellsOf, guessBank, rolesOf } from '../formats/bank-rules.ts';
import { readerOf } from '../formats/registry.ts';
import type { Source } from '../archives/source.ts';
import { lookInThread, UnreadableExport } from '../worker/client.ts';
import { kindOfSource } from '../archives/traversal.ts';
import { previewElements } from './element-preview.ts';

/** What a file is taken for, and what would be stored of it. */

const PREVIEW_ELEMENTS = 20;
const GUESS_BYTES = 65_536;
/** Milliseconds for counting entries; a larger file is reported as "more than". */
const LOOK_MS = 6000;
/** Headings that are shown to the owner. */
const MAX_HEADINGS = 200;

type Format = ImportPreview['format'];

export const firstBytes = async (source: Source): Promise<Buffer> => {
  const handle = await open(source.path, 'r');
  try {
    const most = Math.min(GUESS_BYTES, source.size);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, source.start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** Whether the files are an export whose kinds are known. */
const isKnown = async (sources: readonly Source[]): Promise<boolean> => {
  const [only, ...others] = sources;
  if (only === undefined) return false;
  if (others.length > 0 || (await kindOfSource(only)) !== 'file') return true;
  return readerOf(only.name, await firstBytes(only)) !== undefined;
};

const guessedBank = (head: Buffer, name: string): BankOptions | undefined => {
  if (!/\.(?:csv|txt|tsv)$/iu.test(name)) return undefined;
  const encoding = bankEncodingOf(head);
  return guessBank(bankLinesOf(head, encoding), encoding);
};

/** Where nothing can be guessed, a beginning that the owner goes on from. */
const plainBank = (head: Buffer): BankOptions => {
  const encoding = bankEncodingOf(head);
  const lines = bankLinesOf(head, encoding);
  const line = Math.max(
    0,
    lines.findIndex((text) => text.trim() !== ''),
  );
  const rows = BANK_SEPARATORS.map((separator) => ({ separator, cells: cellsOf(lines[line] ?? '', separator) ?? [] }));
  const best = rows.toSorted((a, b) => b.cells.length - a.cells.length)[0] ?? { separator: ';' as const, cells: [''] };
  const roles = rolesOf(best.cells.length === 0 ? [''] : best.cells);
  return { encoding, separator: best.separator, headerLine: line + 1, decimal: '.', dateOrder: 'ymd', roles };
};

const headingsOf = (head: Buffer, { encoding, headerLine, separator }: BankOptions): string[] =>
  (cellsOf(bankLinesOf(head, encoding)[headerLine - 1] ?? '', separator) ?? []).slice(0, MAX_HEADINGS);

const nothing = (): Omit<ImportPreview, 'format'> => ({
  reason: '',
  columns: [],
  elements: [],
  found: null,
  bank: null,
  error: null,
});

export type Asked = { format?: Format | undefined; bank?: BankOptions | undefined };
type Look = (bank: BankOptions | undefined) => Promise<DetectedExport>;

export const lookIntoThread =
  (sources: readonly Source[]): Look =>
  (bank) =>
    lookInThread({ what: 'look', sources, bank, forMs: LOOK_MS });

const previewBank = async (source: Source, bank: BankOptions | undefined, look: Look): Promise<ImportPreview> => {
  const head = await firstBytes(source);
  const guess = bank ?? guessedBank(head, source.name) ?? plainBank(head);
  const headings = headingsOf(head, guess);
  // One role for each heading, whatever line was said to hold them.
  const roles = guess.roles.length === headings.length || headings.length === 0 ? guess.roles : rolesOf(headings);
  const options = { ...guess, roles };
  return { ...nothing(), format: 'bank', found: await look(options), bank: { options, headings } };
};

const previewKnown = async (look: Look): Promise<ImportPreview> => {
  const found = await look(undefined);
  if (found.kinds.length > 0) return { ...nothing(), format: 'known', found };
  const [trouble] = found.troubles.first;
  const error = trouble === undefined ? null : { line: null, problem: `${trouble.place}: ${trouble.problem}` };
  return { ...nothing(), format: 'unknown', reason: 'Nothing is in it that is known here.', found, error };
};

/** What a file did to its reader is for its owner to know, and no error of ours. */
const unlessUnreadable = async (preview: Promise<ImportPreview>): Promise<ImportPreview> => {
  try {
    return await preview;
  } catch (error) {
    if (!(error instanceof UnreadableExport)) throw error;
    return { ...nothing(), format: 'unknown', error: { line: null, problem: error.message } };
  }
};

const previewOfElements = async (source: Source, format: ImportFormat, reason: string): Promise<ImportPreview> => {
  const { elements, columns, broken } = await previewElements(createReadStream(source.path), format, PREVIEW_ELEMENTS);
  return {
    ...nothing(),
    format,
    reason,
    columns: columns.map(({ name, type, examples }) => ({ name, type, examples })),
    elements: elements.map((element) => JSON.parse(element.text) as ImportPreview['elements'][number]),
    error: broken === undefined ? null : { line: broken.line, problem: withoutLine(broken) },
  };
};

/** @param look counts what is in the export; its answer may be remembered */
export const previewFiles = async (sources: readonly Source[], asked: Asked, look: Look): Promise<ImportPreview> => {
  const [first] = sources;
  if (first === undefined) return { ...nothing(), format: 'unknown' };
  const { format } = asked;
  if (asked.bank !== undefined || format === 'bank') return unlessUnreadable(previewBank(first, asked.bank, look));
  if (format === 'known' || (format === undefined && (await isKnown(sources))))
    return unlessUnreadable(previewKnown(look));
  const head = await firstBytes(first);
  if (format === undefined && guessedBank(head, first.name) !== undefined)
    return unlessUnreadable(previewBank(first, undefined, look));
  const guess = guessFormat(head, first.name);
  const chosen = format ?? guess.format;
  if (chosen === 'unknown') return { ...nothing(), format: 'unknown', reason: guess.reason };
  return previewOfElements(first, chosen, guess.reason);
};

/** What the command line takes files for. */
export const formatOfFiles = async (sources: readonly Source[]): Promise<{ format: Format; bank?: BankOptions }> => {
  const [first] = sources;
  if (first === undefined) return { format: 'unknown' };
  if (await isKnown(sources)) return { format: 'known' };
  const head = await firstBytes(first);
  const bank = guessedBank(head, first.name);
  return bank === undefined ? { format: guessFormat(head, first.name).format } : { format: 'bank', bank };
};
