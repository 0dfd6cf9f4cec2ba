import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { ImportFormat, ImportJob, ImportRun } from '../../../../wire/imports.ts';
import type { Source } from '../archives/source.ts';
import { guessFormat } from '../tabular/format-detection.ts';
import { ENTRY_KINDS } from '../parsing/entries.ts';
import { readFirstBytes, detectFormatOfFiles, previewElementsOf } from '../preview/file-preview.ts';
import { nameOfParts, optionsTextOf, type ImportPart } from './options-rules.ts';
import { UnreadableFile } from '../worker/client.ts';
import { createImportRow } from './job-rows.ts';
import type { ImportRow, ImportStore, NewImportRow, Progress } from '../store.ts';

type ProgressOptions = {
  onProgress?: (progress: Progress, size: number) => void;
  signal?: AbortSignal;
};

export type LocalImports = {
  /**
   * Imports a local file. Resumes an interrupted import of the same file into the same endpoint if its records still
   * exist, unless `format` is given and differs from the format of that import.
   * @throws Failure invalid_input | out_of_disk | unavailable, or the error of the file system
   */
  importFile(path: string, endpoint: string, options: ProgressOptions & { format?: ImportFormat }): Promise<ImportJob>;
  /**
   * Imports the files of one export, or a bank statement. Resumes an interrupted import of the same files and kinds
   * if its records still exist.
   * @param options.kinds endpoints of an export to import; default: all
   * @throws Failure invalid_input | out_of_disk | unavailable, or the error of the file system
   */
  importExport(paths: readonly string[], options: ProgressOptions & { kinds?: readonly string[] }): Promise<ImportJob>;
};

/** @param row row of an interrupted import, or of a new one */
export type RunLocalImport = (row: NewImportRow, request: ImportRun, options: ProgressOptions) => Promise<ImportJob>;

type LocalFile = ImportPart & { path: string; changed: number };

const statLocalFile = async (path: string): Promise<LocalFile> => {
  const file = resolve(path);
  const { size, mtimeMs } = await stat(file);
  return { name: basename(file), size, path: file, changed: Math.floor(mtimeMs) };
};

const requestFor = async (files: readonly LocalFile[], selected: readonly string[] | undefined): Promise<ImportRun> => {
  const { format, bank } = await detectFormatOfFiles(
    files.map(({ path, size, name }) => ({ path, start: 0, size, name })),
  );
  const unknownKind = selected?.find((kind) => !ENTRY_KINDS.some((name) => name === kind));
  if (unknownKind !== undefined)
    throw new Failure('invalid_input', `There is no kind ${unknownKind}. docs/importers.md lists the kinds.`);
  if (bank !== undefined) return { format: 'bank', bank };
  if (format !== 'known')
    throw new Failure(
      'invalid_input',
      'This is not an export in a known format. Pass --endpoint to import its elements.',
    );
  return { format: 'known', kinds: [...(selected ?? ENTRY_KINDS)] };
};

/**
 * Detects the format of elements in JSON and, in a file that is one object, the list that contains the records.
 * @throws Failure invalid_input
 */
const detectFormatAndList = async (
  source: Source,
  guess: ImportFormat,
  format: ImportFormat | undefined,
): Promise<{ format: ImportFormat; list?: string[] }> => {
  if (guess !== 'json') return { format: guess };
  try {
    const { format: elementFormat, lists } = await previewElementsOf(source, guess, { format }, { countMaxMs: 0 });
    return elementFormat === 'geojson' || lists === null
      ? { format: elementFormat }
      : { format: elementFormat, list: lists.chosen };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const position = error.line === null ? source.name : `${source.name}, line ${error.line}`;
    throw new Failure('invalid_input', `${position}: ${error.message}.`);
  }
};

type LocalImportParts = {
  store: ImportStore;
  clock: Clock;
  run: RunLocalImport;
  hasAddedRecords: (row: ImportRow) => Promise<boolean>;
};

/** Imports local files in place, for the command line. */
export const createLocalImports = ({ store, clock, run, hasAddedRecords }: LocalImportParts): LocalImports => ({
  async importFile(path, endpoint, { format, ...options }) {
    const file = await statLocalFile(path);
    const interruptedRow = store.findInterrupted(file.path, file.changed, file.size, endpoint);
    const isResumable =
      interruptedRow !== undefined &&
      (format === undefined || format === interruptedRow.format) &&
      (await hasAddedRecords(interruptedRow));
    const resumedRow = isResumable ? interruptedRow : undefined;
    const source = { path: file.path, start: 0, size: file.size, name: file.path };
    const previousFormat =
      resumedRow?.format === 'known' || resumedRow?.format === 'bank' ? undefined : resumedRow?.format;
    const guess = guessFormat(await readFirstBytes(source), file.path);
    const chosenFormat = previousFormat ?? format ?? guess.format;
    if (chosenFormat === 'unknown')
      throw new Failure(
        'invalid_input',
        `The format of ${path} was not detected. ${guess.reason} If this is wrong, pass --format.`,
      );
    if (resumedRow !== undefined) return run(resumedRow, { endpoint, format: chosenFormat }, options);
    const { size, changed } = file;
    const newImport = { ...createImportRow(file.name, size, clock.now()), path: file.path, changed, received: size };
    const formatAndList = await detectFormatAndList(source, chosenFormat, format);
    return run({ ...newImport, state: 'ready' }, { endpoint, ...formatAndList }, options);
  },

  async importExport(paths, { kinds, ...options }) {
    const files: LocalFile[] = [];
    for (const path of paths) files.push(await statLocalFile(path));
    const [firstFile] = files;
    if (firstFile === undefined) throw new Failure('invalid_input', 'There is no file to import.');
    const request = await requestFor(files, kinds);
    const importOptions = optionsTextOf(request);
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const parts = JSON.stringify(files);
    const interruptedRow = store.findInterrupted(firstFile.path, firstFile.changed, size, null);
    const isResumable =
      interruptedRow?.options === importOptions &&
      interruptedRow.parts === parts &&
      (await hasAddedRecords(interruptedRow));
    const resumedRow = isResumable ? interruptedRow : undefined;
    const { path, changed } = firstFile;
    const newImport = {
      ...createImportRow(nameOfParts(files.map(({ name }) => name)), size, clock.now()),
      path,
      changed,
    };
    const row = resumedRow ?? { ...newImport, parts, received: size, state: 'ready' as const };
    return run(row, request, options);
  },
});
