import { createReadStream } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../../platform/clock.ts';
import type { ColumnChoice } from '../../../../wire/imports.ts';
import type { Endpoints, RecordReader, RecordService } from '../../records/service.ts';
import type { Writer } from '../../../storage/index.ts';
import { readElements } from '../tabular/element-reader.ts';
import type { ElementBatch } from '../tabular/element-source.ts';
import { readTopologyInThread } from '../worker/client.ts';
import { runImport } from './finish.ts';
import type { KindsStore } from './kinds-store.ts';
import type { ImportRow, ImportStore, Progress } from '../store.ts';

/** Maximum elements per transaction. Other writes wait until it ends. */
const BATCH_ELEMENTS = 200;

const splitBatch = (batch: ElementBatch): ElementBatch[] => {
  const { elements, bytesRead } = batch;
  // A batch with problems is never divided: only batches of TopoJSON can have problems, and these are small enough.
  if (elements.length <= BATCH_ELEMENTS) return [batch];
  const parts: ElementBatch[] = [];
  for (let start = 0; start < elements.length; start += BATCH_ELEMENTS) {
    const part = elements.slice(start, start + BATCH_ELEMENTS);
    parts.push({ elements: part, problems: [], next: (part.at(-1)?.index ?? 0) + 1, bytesRead });
  }
  return parts;
};

export type ImportRunnerParts = {
  store: ImportStore;
  kinds: KindsStore;
  records: RecordService;
  recordStore: RecordReader;
  endpoints: Endpoints;
  writer: Writer;
  clock: Clock;
  evictFields: (endpoint: string) => void;
};

/**
 * Imports the elements of a file from the position in the row. The transaction that stores records also saves the new
 * position.
 * @throws Failure out_of_disk | unavailable
 */
export const importElements = async (
  parts: ImportRunnerParts,
  row: ImportRow,
  file: string,
  signal: AbortSignal,
  onProgress?: (progress: Readonly<Progress>) => void,
): ReturnType<typeof runImport> => {
  const { store, kinds, records } = parts;
  const { id, endpoint, format } = row;
  if (endpoint === null || format === null || format === 'known' || format === 'bank')
    throw new Error('an import of elements needs an endpoint and a format');
  const comparedUpTo = row.before_seq ?? undefined;
  const comparedEndpoints = comparedUpTo === undefined ? [] : [{ path: endpoint, upTo: comparedUpTo }];

  let progress: Progress = {
    position: row.position,
    bytes_read: row.bytes_read,
    added: row.added,
    skipped: row.skipped,
  };
  let problemCount = row.problem_count;
  const origin = { kind: 'import', name: row.file_name, reference: id } as const;
  const caller = { origin, signal };
  const columnTypes =
    row.column_types === null ? undefined : (JSON.parse(row.column_types) as Record<string, ColumnChoice>);
  const list = row.list === null ? undefined : (JSON.parse(row.list) as string[]);

  const storeBatch = async ({ elements, problems, next: position, bytesRead }: ElementBatch): Promise<void> => {
    const comparedTexts = comparedUpTo === undefined ? [] : elements.map(({ text }) => text);
    const digests = await records.digestsOfLargeValues(comparedTexts, caller);
    const newRecords = elements.map(({ text }) => ({ endpoint, data: text, digest: digests.get(text) }));
    progress = await records.writeWithCompleteIndexes(comparedEndpoints, caller, (tx) => {
      const storedRecords = records.createWithin(tx, newRecords, origin, comparedUpTo);
      const nextProgress: Progress = {
        position,
        bytes_read: bytesRead,
        added: progress.added + storedRecords.length,
        skipped: progress.skipped + elements.length - storedRecords.length,
      };
      kinds.addProblems(tx, id, problemCount, problems);
      store.setProgress(tx, id, nextProgress, problemCount + problems.length);
      return nextProgress;
    });
    problemCount += problems.length;
    onProgress?.(progress);
  };

  return runImport(parts, row, signal, async () => {
    const options = { from: progress.position, list, columnTypes };
    const batches =
      format === 'topojson'
        ? readTopologyInThread({ path: file, ...options }, { signal })
        : readElements(createReadStream(file, { highWaterMark: 256 * 1024, signal }), format, options);
    for await (const batch of batches) {
      for (const part of splitBatch(batch)) {
        signal.throwIfAborted();
        await storeBatch(part);
        await nextTurn();
      }
    }
  });
};
