import { createReadStream } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../../platform/clock.ts';
import { messageOf } from '../../../../wire/values.ts';
import type { Endpoints, RecordReader, RecordService } from '../../records/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { ColumnChoice } from '../tabular/csv-columns.ts';
import { BrokenElement, readElements, withoutLine, type ImportedElement } from '../tabular/element-reader.ts';
import { endedFromOutside } from './interruption.ts';
import type { KindsStore } from './kinds-store.ts';
import type { ImportRow, ImportStore, Progress } from '../store.ts';

/** Elements stored in one transaction, which takes a few milliseconds so that readers hardly wait. */
const AT_ONCE = 200;

export type RunnerParts = {
  store: ImportStore;
  kinds: KindsStore;
  /** The place of a record in the order of creation. */
  placeOf: (id: string) => number | undefined;
  records: RecordService;
  recordStore: RecordReader;
  endpoints: Endpoints;
  writer: Writer;
  clock: Clock;
};

/** Whether every record here was made by this import, so that nothing can equal what came before. */
const NOTHING_BEFORE = undefined;

/**
 * Works through a file from where the row says. The place in the file is written in the transaction that stores the records, so
 * an import that is cut off anywhere goes on exactly there.
 * @throws Failure out_of_disk, with the row as it was after the last elements that were stored
 */
export const runImport = async (
  parts: RunnerParts,
  row: ImportRow,
  file: string,
  signal: AbortSignal,
  onProgress: (progress: Readonly<Progress>) => void = () => undefined,
): Promise<'done' | 'failed' | 'cancelled' | 'stopped'> => {
  const { store, records, writer, clock } = parts;
  const { id, endpoint, format } = row;
  if (endpoint === null || format === null || format === 'known' || format === 'bank')
    throw new Error('an import of elements needs an endpoint and a format');
  const before = row.before_seq ?? NOTHING_BEFORE;
  if (before !== undefined) await records.prepareFingerprints(endpoint);

  let at: Progress = { position: row.position, bytes_read: row.bytes_read, added: row.added, skipped: row.skipped };
  const origin = { kind: 'import', name: row.file_name, reference: id } as const;
  const columns =
    row.column_types === null ? undefined : (JSON.parse(row.column_types) as Record<string, ColumnChoice>);

  const storeSome = async (elements: readonly ImportedElement[], bytesRead: number): Promise<void> => {
    const last = elements.at(-1);
    if (last === undefined) return;
    const given = elements.map((element) => ({ endpoint, data: element.text }));
    at = await writer.write((tx) => {
      const stored = records.createWithin(tx, given, origin, before);
      const next: Progress = {
        position: last.index + 1,
        bytes_read: bytesRead,
        added: at.added + stored.length,
        skipped: at.skipped + elements.length - stored.length,
      };
      store.progress(tx, id, next);
      return next;
    });
    onProgress(at);
  };

  const end = (state: 'done' | 'failed' | 'cancelled', line: number | null = null, problem?: string): Promise<void> =>
    writer.write((tx) =>
      store.finish(tx, id, { state, time: clock.now(), line, ...(problem === undefined ? {} : { problem }) }),
    );

  try {
    const stream = createReadStream(file, { highWaterMark: 256 * 1024, signal });
    for await (const batch of readElements(stream, format, {
      from: at.position,
      csv: columns === undefined ? {} : { types: columns },
    })) {
      for (let from = 0; from < batch.elements.length; from += AT_ONCE) {
        if (signal.aborted) break;
        await storeSome(batch.elements.slice(from, from + AT_ONCE), batch.bytesRead);
        await turn();
      }
    }
    signal.throwIfAborted();
  } catch (error) {
    const ended = await endedFromOutside(error, signal, () => end('cancelled'));
    if (ended !== undefined) return ended;
    if (error instanceof BrokenElement) {
      await end('failed', error.line, withoutLine(error));
      return 'failed';
    }
    await end('failed', null, messageOf(error));
    return 'failed';
  }
  await end('done');
  return 'done';
};
