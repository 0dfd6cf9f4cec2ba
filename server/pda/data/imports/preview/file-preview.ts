import { open } from 'node:fs/promises';
import type {
  BankOptions,
  ColumnChoice,
  DetectedExport,
  ImportFormat,
  ImportPreview,
} from '../../../../wire/imports.ts';
import { guessFormat } from '../tabular/format-detection.ts';
import { bankEncodingOf, bankLinesOf } from '../formats/bank.ts';
import { BANK_SEPARATORS, cellsOf, guessBankOptionsOfLines, rolesOf } from '../formats/bank-rules.ts';
import { detectReader } from '../formats/registry.ts';
import type { Source } from '../archives/source.ts';
import { previewInThread, summariseInThread, UnreadableFile } from '../worker/client.ts';
import type { ElementPreview } from '../worker/messages.ts';
import { kindOfSource } from '../archives/traversal.ts';

const PREVIEW_ELEMENTS = 20;
const GUESS_BYTES = 65_536;
/** Time limit for reading an export. If it is reached, the summary is marked as incomplete. */
const SUMMARY_MAX_MS = 6000;
type PreviewTimes = { readonly listsMaxMs: number; readonly countMaxMs: number };
/** Finding lists may take longer: only a found list can be suggested, but a partial count gives an estimate. */
const PREVIEW_TIMES: PreviewTimes = { listsMaxMs: 5000, countMaxMs: 1500 };
const MAX_HEADINGS = 200;

type Format = ImportPreview['format'];

export const readFirstBytes = async (source: Source): Promise<Buffer> => {
  const handle = await open(source.path, 'r');
  try {
    const length = Math.min(GUESS_BYTES, source.size);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, source.start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** Returns true if the files are read as an export: several files, an archive, or one file in a known format. */
const isKnownExport = async (sources: readonly Source[]): Promise<boolean> => {
  const [first, ...others] = sources;
  if (first === undefined) return false;
  if (others.length > 0 || (await kindOfSource(first)) !== 'file') return true;
  return detectReader(first.name, await readFirstBytes(first)) !== undefined;
};

const guessBankOptions = (head: Buffer, name: string): BankOptions | undefined => {
  if (!/\.(?:csv|txt|tsv)$/iu.test(name)) return undefined;
  const encoding = bankEncodingOf(head);
  return guessBankOptionsOfLines(bankLinesOf(head, encoding), encoding);
};

/** Returns options for a file whose columns cannot be guessed. The owner can correct them. */
const createDefaultBankOptions = (head: Buffer): BankOptions => {
  const encoding = bankEncodingOf(head);
  const lines = bankLinesOf(head, encoding);
  const line = Math.max(
    0,
    lines.findIndex((text) => text.trim() !== ''),
  );
  const rows = BANK_SEPARATORS.map((separator) => ({ separator, cells: cellsOf(lines[line] ?? '', separator) ?? [] }));
  const widest = rows.toSorted((a, b) => b.cells.length - a.cells.length)[0] ?? {
    separator: ';' as const,
    cells: [''],
  };
  const roles = rolesOf(widest.cells.length === 0 ? [''] : widest.cells);
  return { encoding, separator: widest.separator, headerLine: line + 1, decimal: '.', dateOrder: 'ymd', roles };
};

const headingsOf = (head: Buffer, { encoding, headerLine, separator }: BankOptions): string[] =>
  (cellsOf(bankLinesOf(head, encoding)[headerLine - 1] ?? '', separator) ?? []).slice(0, MAX_HEADINGS);

const createEmptyPreview = (): Omit<ImportPreview, 'format'> => ({
  reason: '',
  columns: [],
  rows: null,
  lists: null,
  elements: [],
  found: null,
  bank: null,
  error: null,
});

export type PreviewOptions = {
  format?: Format | undefined;
  bank?: BankOptions | undefined;
  list?: readonly string[] | undefined;
  columnTypes?: Readonly<Record<string, ColumnChoice>> | undefined;
};
type Summarise = (bank: BankOptions | undefined) => Promise<DetectedExport>;

export const createSummariser =
  (sources: readonly Source[]): Summarise =>
  (bank) =>
    summariseInThread({ task: 'summarise', sources, bank, maxMs: SUMMARY_MAX_MS });

const previewBank = async (
  source: Source,
  bank: BankOptions | undefined,
  summarise: Summarise,
): Promise<ImportPreview> => {
  const head = await readFirstBytes(source);
  const initialOptions = bank ?? guessBankOptions(head, source.name) ?? createDefaultBankOptions(head);
  const headings = headingsOf(head, initialOptions);
  // The owner may have chosen a different header line, with a different number of columns.
  const keepsRoles = initialOptions.roles.length === headings.length || headings.length === 0;
  const options = keepsRoles ? initialOptions : { ...initialOptions, roles: rolesOf(headings) };
  return { ...createEmptyPreview(), format: 'bank', found: await summarise(options), bank: { options, headings } };
};

const previewExport = async (summarise: Summarise): Promise<ImportPreview> => {
  const summary = await summarise(undefined);
  if (summary.kinds.length > 0) return { ...createEmptyPreview(), format: 'known', found: summary };
  const [first] = summary.problems.first;
  const error = first === undefined ? null : { line: null, problem: `${first.position}: ${first.problem}` };
  return {
    ...createEmptyPreview(),
    format: 'unknown',
    reason: 'No entry that can be imported was found.',
    found: summary,
    error,
  };
};

/** Reasons for the detected format, by kind of JSON file. */
const REASONS: Readonly<Partial<Record<NonNullable<ImportPreview['lists']>['kind'], string>>> = {
  geojson: 'It is a collection of features.',
  topojson: 'It is a map in TopoJSON.',
};

/** @throws UnreadableFile */
export const previewElementsOf = (
  { path, size }: Source,
  initialFormat: ImportFormat,
  { format, list, columnTypes }: PreviewOptions = {},
  times: Partial<PreviewTimes> = {},
): Promise<ElementPreview> =>
  previewInThread({
    task: 'preview',
    path,
    size,
    format: initialFormat,
    isFormatChosen: format !== undefined,
    list,
    columnTypes,
    count: PREVIEW_ELEMENTS,
    ...PREVIEW_TIMES,
    ...times,
  });

const previewSources = async (
  sources: readonly Source[],
  requested: PreviewOptions,
  summarise: Summarise,
  times: Partial<PreviewTimes>,
): Promise<ImportPreview> => {
  const [first] = sources;
  if (first === undefined) return { ...createEmptyPreview(), format: 'unknown' };
  const { format } = requested;
  if (requested.bank !== undefined || format === 'bank') return previewBank(first, requested.bank, summarise);
  if (format === 'known' || (format === undefined && (await isKnownExport(sources)))) return previewExport(summarise);
  const head = await readFirstBytes(first);
  if (format === undefined && guessBankOptions(head, first.name) !== undefined)
    return previewBank(first, undefined, summarise);
  const guess = guessFormat(head, first.name);
  const chosenFormat = format ?? guess.format;
  if (chosenFormat === 'unknown') return { ...createEmptyPreview(), format: 'unknown', reason: guess.reason };
  const elementPreview = await previewElementsOf(first, chosenFormat, requested, times);
  const reason = REASONS[elementPreview.lists?.kind ?? 'object'] ?? guess.reason;
  return { ...createEmptyPreview(), reason, ...elementPreview };
};

/** @param summarise may return a cached result */
export const previewFiles = async (
  sources: readonly Source[],
  requested: PreviewOptions,
  summarise: Summarise,
  times: Partial<PreviewTimes> = {},
): Promise<ImportPreview> => {
  try {
    return await previewSources(sources, requested, summarise, times);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { ...createEmptyPreview(), format: 'unknown', error: { line: error.line, problem: error.message } };
  }
};

export const detectFormatOfFiles = async (
  sources: readonly Source[],
): Promise<{ format: Format; bank?: BankOptions }> => {
  const [first] = sources;
  if (first === undefined) return { format: 'unknown' };
  if (await isKnownExport(sources)) return { format: 'known' };
  const head = await readFirstBytes(first);
  const bank = guessBankOptions(head, first.name);
  return bank === undefined ? { format: guessFormat(head, first.name).format } : { format: 'bank', bank };
};
