import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { ImportJob, ImportRun } from '../../../../wire/imports.ts';
import type { ImportFormat } from '../tabular/element-reader.ts';
import { guessFormat } from '../tabular/format-detection.ts';
import { KINDS } from '../parsing/entries.ts';
import { firstBytes, formatOfFiles } from '../preview/file-preview.ts';
import { nameOfParts, optionsOf, optionsText, wantedOf, type ImportPart } from './options-rules.ts';
import { newRow } from './job-rows.ts';
import type { ImportRow, ImportStore, Progress } from '../store.ts';

/** Imports of files where they lie, as the command line makes them. */

type ProgressOptions = {
  onProgress?: (progress: Progress, size: number) => void;
  signal?: AbortSignal;
};

export type ImportsInPlace = {
  /** Imports a file where it lies, going on where an interrupted run of the same file ended. */
  importFile(path: string, endpoint: string, options: ProgressOptions & { format?: ImportFormat }): Promise<ImportJob>;
  /** Imports a known export from all its parts. `kinds`: endpoints to import; default: all. */
  importExport(paths: readonly string[], options: ProgressOptions & { kinds?: readonly string[] }): Promise<ImportJob>;
};

/** Runs an import to its end. `again`: it was begun before. */
export type RunInPlace = (
  row: ImportRow,
  request: ImportRun,
  again: boolean,
  options: ProgressOptions,
) => Promise<ImportJob>;

type LyingFile = ImportPart & { path: string; changed: number };

const lyingFile = async (path: string): Promise<LyingFile> => {
  const file = resolve(path);
  const { size, mtimeMs } = await stat(file);
  return { name: basename(file), size, path: file, changed: Math.floor(mtimeMs) };
};

/** How the files are to be read, of which those kinds are wanted. */
const requestFor = async (files: readonly LyingFile[], asked: readonly string[] | undefined): Promise<ImportRun> => {
  const { format, bank } = await formatOfFiles(files.map(({ path, size, name }) => ({ path, start: 0, size, name })));
  if (bank !== undefined) return { format: 'bank', bank };
  if (format !== 'known')
    throw new Failure('invalid_input', 'This is no export that is known. Name the endpoint where its elements go.');
  return { format: 'known', kinds: [...(asked ?? KINDS)] };
};

type InPlaceParts = { store: ImportStore; clock: Clock; run: RunInPlace };

export const createImportsInPlace = ({ store, clock, run }: InPlaceParts): ImportsInPlace => ({
  async importFile(path, endpoint, { format, ...options }) {
    const file = await lyingFile(path);
    const found = store.interrupted(file.path, file.changed, file.size, endpoint);
    const same = found !== undefined && (format === undefined || format === found.format) ? found : undefined;
    const source = { path: file.path, start: 0, size: file.size, name: file.path };
    const before = same?.format === 'known' || same?.format === 'bank' ? undefined : same?.format;
    const chosen = before ?? format ?? guessFormat(await firstBytes(source), file.path).format;
    if (chosen === 'unknown') {
      throw new Failure('invalid_input', `${path} is neither JSON, NDJSON nor CSV. Name the format.`);
    }
    const { size, changed } = file;
    const fresh = { ...newRow(file.name, size, clock.now()), path: file.path, changed, received: size };
    const row = same ?? { ...fresh, state: 'ready' as const };
    return run(row, { endpoint, format: chosen }, same !== undefined, options);
  },

  async importExport(paths, { kinds, ...options }) {
    const files: LyingFile[] = [];
    for (const path of paths) files.push(await lyingFile(path));
    const [first] = files;
    if (first === undefined) throw new Failure('invalid_input', 'There is no file to import.');
    const request = await requestFor(files, kinds);
    const wanted = optionsText(optionsOf(request) ?? {});
    if (wantedOf({ options: wanted }).wanted.length === 0)
      throw new Failure('invalid_input', 'There is no kind of that name. docs/importers.md lists them.');
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const parts = JSON.stringify(files);
    const found = store.interrupted(first.path, first.changed, size, null);
    const same = found !== undefined && found.options === wanted && found.parts === parts ? found : undefined;
    const { path, changed } = first;
    const fresh = { ...newRow(nameOfParts(files.map(({ name }) => name)), size, clock.now()), path, changed };
    const row = same ?? { ...fresh, parts, received: size, state: 'ready' as const };
    return run(row, request, same !== undefined, options);
  },
});
