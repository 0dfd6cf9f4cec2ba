import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure, ignoreFailures } from '../../../platform/failure.ts';
import { ignoreMissing } from '../../../platform/io/file-system.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import { namespaceOf } from '../../../wire/display-name.ts';
import { EXAMPLE_DEBIT, type Examples, type FirstStep } from '../../../wire/examples.ts';
import { codeOf } from '../../../wire/values.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { EventService } from '../../core/events/service.ts';
import type { FileCaller, FileService } from '../../files/service.ts';
import type { Origin, RecordService } from '../../data/records/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { createExampleRecords, createExampleProposal, EXAMPLE_FILES, EXAMPLE_FILE_SOURCE } from './data-rules.ts';
import type { ActivityCount, ExampleStore } from './store.ts';

export type ExampleParts = {
  store: ExampleStore;
  records: Pick<RecordService, 'createWithin'>;
  deletions: { clearEndpoint(path: string, origin: Origin): Promise<void>; sweep(): Promise<void> };
  debits: Pick<DebitService, 'propose' | 'stateOf' | 'eraseWithin'>;
  files: Pick<FileService, 'create' | 'receiveChunk' | 'complete' | 'erase'>;
  indexes: { reconcile(): void; waitUntilIdle(): Promise<void> };
  /** Hides an empty endpoint, so that the next sweep deletes it. */
  dropEmptyEndpoint: (tx: Transaction, endpoint: number) => void;
  /** Folder of the owner's files. */
  folder: string;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

const DAY_MS = 86_400_000;
const ORIGIN_NAME = 'example data';
const OWNER_ORIGIN: Origin = { kind: 'owner', name: 'owner' };
/** The removal fails if example data remains after this many rounds. */
const MAX_REMOVAL_ROUNDS = 20;

/** Adds and removes the example data. An incomplete addition can be removed, too. */
export const createExampleService = (parts: ExampleParts) => {
  const { store, records, deletions, debits, files, writer, events, clock } = parts;
  const mutex = createMutex();
  const notify = (tx: Transaction): void => events.notify(tx, 'examples');

  const view = (): Examples => {
    const examples = store.find();
    if (examples === undefined) return { stored: null, records: 0, sources: [], files: 0, request: null };
    return {
      stored: isoTime(examples.addedAt),
      records: store.countRecords(),
      sources: [...new Set(store.listPaths().map(namespaceOf))],
      files: store.countFiles(),
      request: debits.stateOf(EXAMPLE_DEBIT) === undefined ? null : EXAMPLE_DEBIT,
    };
  };

  const add = async (caller: FileCaller): Promise<void> => {
    const now = clock.now();
    // Origins are interned by kind, name and reference. The reference makes this one unique.
    const origin: Origin = { kind: 'import', name: ORIGIN_NAME, reference: `example-${now}` };
    const newRecords = Object.entries(createExampleRecords(now)).flatMap(([endpoint, list]) =>
      list.map((data) => ({ endpoint, data: JSON.stringify(data) })),
    );
    await writer.write((tx) => {
      if (store.find() !== undefined) throw new Failure('wrong_state', 'The example data has already been added.');
      if (store.countRecords() > 0)
        throw new Failure(
          'wrong_state',
          'A namespace that begins with example- contains your own data. Nothing was added.',
        );
      // Existing files of such a source would be erased together with the example data.
      if (store.hasFiles())
        throw new Failure(
          'wrong_state',
          'A source that begins with example- contains your own files. Nothing was added.',
        );
      if (debits.stateOf(EXAMPLE_DEBIT) !== undefined)
        throw new Failure('wrong_state', `A request named ${EXAMPLE_DEBIT} already exists. Nothing was added.`);
      records.createWithin(tx, newRecords, origin);
      const day = Math.floor(now / DAY_MS);
      store.insert(tx, now, { day, records: newRecords.length, endpoints: store.listActiveEndpointIds() });
      notify(tx);
    });
    for (const { name, title, text } of EXAMPLE_FILES) {
      const bytes = Buffer.from(text);
      const { fileId } = await files.create({ name, title, source: EXAMPLE_FILE_SOURCE, tags: ['example'] }, caller);
      try {
        await files.receiveChunk(fileId, { offset: 0, size: bytes.length }, Readable.from([bytes]));
        await files.complete(fileId, caller);
      } catch (error) {
        // The owner may have deleted the file in the meantime.
        ignoreFailures('not_found')(error);
      }
    }
    await debits.propose(EXAMPLE_DEBIT, createExampleProposal(now), { kind: 'application', name: EXAMPLE_DEBIT });
  };

  const dropFolder = async (): Promise<void> => {
    try {
      await rmdir(join(parts.folder, EXAMPLE_FILE_SOURCE));
    } catch (error) {
      // The folder is retained if it contains other files.
      if (codeOf(error) !== 'ENOTEMPTY') ignoreMissing(error);
    }
  };

  const reconcileIndexes = async (): Promise<void> => {
    parts.indexes.reconcile();
    await parts.indexes.waitUntilIdle();
  };

  const remove = async (): Promise<void> => {
    const examples = store.find();
    if (examples === undefined) return;
    await writer.write((tx) => {
      debits.eraseWithin(tx, EXAMPLE_DEBIT);
      events.notify(tx, 'debits');
    });
    // An index build for the erased example request would intern the name of its endpoint again.
    await reconcileIndexes();
    for (const fileId of store.listFileIds()) await files.erase(fileId).catch(ignoreFailures('not_found'));
    await dropFolder();
    const endpoints = [...examples.counts.endpoints, ...store.listEndpointIds()];
    const day = Math.floor(clock.now() / DAY_MS);
    const deletedBefore = store.countActivity(day, 'deleted');
    await writer.write((tx) => store.abandonDeletions(tx));
    for (let round = 0; store.listPaths().length > 0 || store.countPendingEndpoints() > 0; round += 1) {
      if (round >= MAX_REMOVAL_ROUNDS)
        throw new Failure('internal_error', 'Some example data could not be removed. Try again.');
      for (const path of store.listPaths()) await deletions.clearEndpoint(path, OWNER_ORIGIN);
      await writer.write((tx) => {
        for (const id of store.listActiveEndpointIds()) parts.dropEmptyEndpoint(tx, id);
      });
      await deletions.sweep();
      // Drops the indexes of removed endpoints. A running index build may have interned a name again, which the next
      // round removes.
      await reconcileIndexes();
    }
    await writer.write((tx) => {
      const deletedCount = Math.max(0, store.countActivity(day, 'deleted') - deletedBefore);
      const { counts } = examples;
      const activity: ActivityCount[] = [
        { day: counts.day, kind: 'created', count: counts.records },
        { day, kind: 'deleted', count: deletedCount },
      ];
      store.dropMetadata(tx, { endpoints, origin: ORIGIN_NAME, activity });
      store.drop(tx);
      notify(tx);
    });
  };

  return {
    view,
    listDismissed: store.listDismissed,
    setDismissed: (step: FirstStep, isDismissed: boolean): Promise<void> =>
      writer.write((tx) => {
        store.setDismissed(tx, step, isDismissed ? clock.now() : null);
        notify(tx);
      }),
    /** @throws Failure wrong_state | already_exists | rate_limited | too_large | out_of_disk */
    add: (caller: FileCaller): Promise<Examples> =>
      mutex(async () => {
        await add(caller);
        return view();
      }),
    /**
     * Does nothing if there is no example data.
     * @throws Failure out_of_disk | internal_error | wrong_state while a file is being uploaded
     */
    remove: (): Promise<Examples> =>
      mutex(async () => {
        await remove();
        return view();
      }),
  };
};

export type ExampleService = ReturnType<typeof createExampleService>;
