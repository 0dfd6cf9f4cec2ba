import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BankOptions } from '../../../../wire/imports.ts';
import type { EntrySink, ParsedEntry, EntryKind } from '../parsing/entries.ts';
import {
  contentHashOf,
  type ExportCursor,
  type ImportThreadMessage,
  type ImportedEntry,
  type SharedPosition,
} from './messages.ts';
import { createReader, kindsOf } from '../formats/registry.ts';
import type { ElementProblem } from '../tabular/element-source.ts';
import { clearPosition, createSharedPosition, trackEntries } from './abandoned-entries.ts';
import type { Source } from '../archives/source.ts';
import { traverseSources, type RecognisedFile } from '../archives/traversal.ts';

/** A batch, which one transaction stores, ends at this number of entries or problems, or of characters. */
const BATCH_MAX_ENTRIES = 200;
const BATCH_MAX_CHARS = 2_000_000;
const ENTRY_KEY_BYTES = 16;
/** Bytes at the beginning of a key that contain the time of the entry, in Unix milliseconds. */
const ENTRY_KEY_TIME_BYTES = 6;
/** A larger entry is reported as a problem. */
const MAX_RECORD_BYTES = 9_000_000;
const MAX_NAME_CHARS = 300;

export const displayNameOfMember = (name: string): string =>
  (name.length > MAX_NAME_CHARS ? `…${name.slice(-MAX_NAME_CHARS)}` : name).toWellFormed();

export const entryKeyOf = ({ kind, at, identity }: ParsedEntry): string => {
  const key = createHash('sha256')
    .update(`${kind}\n${at ?? ''}\n${identity}`)
    .digest()
    .subarray(0, ENTRY_KEY_BYTES);
  if (at !== undefined && at >= 0 && at < 2 ** (8 * ENTRY_KEY_TIME_BYTES))
    key.writeUIntBE(Math.floor(at), 0, ENTRY_KEY_TIME_BYTES);
  return key.toString('latin1');
};

type ReadExportParts = {
  sources: readonly Source[];
  kinds: readonly EntryKind[];
  bank: BankOptions | undefined;
  from: ExportCursor;
  position?: SharedPosition;
  /** Sends a batch, and waits until the receiver is ready for the next one. */
  sendBatch(message: Extract<ImportThreadMessage, { type: 'batch' }>): Promise<void>;
  onProgress(bytesRead: number): void;
};

export const readExport = async ({
  sources,
  kinds,
  bank,
  from,
  position = createSharedPosition(),
  sendBatch,
  onProgress,
}: ReadExportParts): Promise<void> => {
  const selectedKinds = new Set<EntryKind>(kinds);
  const bytesBeforeSource = sources.map((_, index) => sources.slice(0, index).reduce((sum, { size }) => sum + size, 0));
  let entries: ImportedEntry[] = [];
  let problems: ElementProblem[] = [];
  let chars = 0;
  let cursor = from;
  let bytesRead = 0;
  let brokenCount = 0;

  const readFile = async (file: RecognisedFile): Promise<void> => {
    const { source, member } = file;
    if (source < from.source || (source === from.source && member < from.member)) return;
    if (!kindsOf(file.reader).some((kind) => selectedKinds.has(kind))) return;
    const skippedEntries = source === from.source && member === from.member ? from.entry : 0;
    const name = displayNameOfMember(file.name);
    let entry = 0;
    // A reader may emit a thousand entries per chunk: full batches are collected here and sent after the chunk.
    const fullBatches: { entries: ImportedEntry[]; problems: ElementProblem[]; cursor: ExportCursor }[] = [];
    const advanceCursor = (): boolean => {
      entry += 1;
      if (entry <= skippedEntries) return false;
      cursor = { ...from, source, member, entry, broken: brokenCount };
      return true;
    };
    const completeFullBatch = (): void => {
      if (entries.length < BATCH_MAX_ENTRIES && chars < BATCH_MAX_CHARS && problems.length < BATCH_MAX_ENTRIES) return;
      fullBatches.push({ entries, problems, cursor });
      entries = [];
      problems = [];
      chars = 0;
    };
    const sink: Omit<EntrySink, 'beginEntry'> = {
      addEntry(parsed, filePosition) {
        if (!advanceCursor() || !selectedKinds.has(parsed.kind)) return;
        const text = JSON.stringify(parsed.data);
        if (Buffer.byteLength(text) > MAX_RECORD_BYTES)
          problems.push({ position: `${name}, ${filePosition}`, problem: 'this entry is too large' });
        else {
          entries.push({ kind: parsed.kind, key: entryKeyOf(parsed), content: contentHashOf(text), text });
          chars += text.length;
        }
        completeFullBatch();
      },
      addProblem(filePosition, problem) {
        if (advanceCursor()) problems.push({ position: `${name}, ${filePosition}`, problem });
        completeFullBatch();
      },
    };
    const sendFullBatches = async (): Promise<void> => {
      for (const batch of fullBatches.splice(0)) await sendBatch({ type: 'batch', ...batch, bytesRead });
    };
    const trackedSink = trackEntries(sink, file, { position, abandoned: from.abandoned ?? [] });
    const reader = createReader(file.reader, trackedSink, bank);
    let bytesDone = 0;
    for await (const chunk of file.content()) {
      await reader.push(chunk);
      clearPosition(position);
      bytesDone += chunk.length;
      const fraction = file.size === 0 ? 1 : Math.min(1, bytesDone / file.size);
      bytesRead = (bytesBeforeSource[source] ?? 0) + file.precedingBytes + Math.floor(file.packedBytes * fraction);
      await sendFullBatches();
      onProgress(bytesRead);
      await nextTurn();
    }
    await reader.end();
    clearPosition(position);
    await sendFullBatches();
  };

  await traverseSources(
    sources,
    {
      readFile,
      skipFile: () => undefined,
      shouldContinue() {
        onProgress(bytesRead);
        return true;
      },
      reportBroken(source, problem) {
        brokenCount += 1;
        if (brokenCount <= from.broken) return;
        cursor = { ...cursor, broken: brokenCount };
        problems.push({ position: displayNameOfMember(source.name), problem });
      },
    },
    bank === undefined ? {} : { chosenReader: 'bank' },
  );
  if (entries.length > 0 || problems.length > 0)
    await sendBatch({ type: 'batch', entries, problems, cursor, bytesRead });
};
