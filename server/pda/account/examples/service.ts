import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure, ignoring } from '../../../platform/failure.ts';
import { unlessMissing } from '../../../platform/io/file-system.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import { EXAMPLE_DEBIT, type Examples } from '../../../wire/examples.ts';
import { codeOf } from '../../../wire/values.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { EventService } from '../../core/events/service.ts';
import type { FileCaller, FileService } from '../../files/service.ts';
import type { Origin, RecordService } from '../../data/records/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { EXAMPLE_FILES, EXAMPLE_SOURCE, exampleRecords, exampleRequest } from './data-rules.ts';
import type { Count, ExampleStore } from './store.ts';

export type ExampleParts = {
  store: ExampleStore;
  records: Pick<RecordService, 'createWithin'>;
  deletions: { clearEndpoint(path: string, origin: Origin): Promise<void>; sweep(): Promise<void> };
  debits: Pick<DebitService, 'propose' | 'stateOf' | 'eraseWithin'>;
  files: Pick<FileService, 'create' | 'piece' | 'complete' | 'erase'>;
  indexes: { reconcile(): void; whenIdle(): Promise<void> };
  /** Takes an endpoint away that nothing is at any more. */
  dropEmpty: (tx: Transaction, endpoint: number) => void;
  /** Where the owner's files lie. */
  folder: string;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

const DAY_MS = 86_400_000;
const ORIGIN = 'example data';
const OWNER: Origin = { kind: 'owner', name: 'owner' };
/** Rounds after which remaining example data counts as a fault. */
const MAX_ROUNDS = 20;

/** Example data: put here at once, taken away whole. What is begun can be taken away, too. */
export const createExampleService = (parts: ExampleParts) => {
  const { store, records, deletions, debits, files, writer, events, clock } = parts;
  /** Two at once would not know what the other did. */
  const alone = createMutex();
  const tell = (tx: Transaction): void => events.notify(tx, 'examples');

  const view = (): Examples => {
    const found = store.find();
    const request = debits.stateOf(EXAMPLE_DEBIT);
    return {
      put: found === undefined ? null : isoTime(found.put),
      records: found === undefined ? 0 : store.records(),
      sources: found === undefined ? [] : [...new Set(store.paths().map((path) => path.slice(0, path.indexOf('/'))))],
      files: found === undefined ? 0 : store.files(),
      request: found === undefined || request === undefined ? null : EXAMPLE_DEBIT,
    };
  };

  const put = async (caller: FileCaller): Promise<void> => {
    const now = clock.now();
    // The reference is another one each time: numbers of origins are remembered by it.
    const origin: Origin = { kind: 'import', name: ORIGIN, reference: `example-${now}` };
    const all = Object.entries(exampleRecords(now)).flatMap(([endpoint, list]) =>
      list.map((data) => ({ endpoint, data: JSON.stringify(data) })),
    );
    await writer.write((tx) => {
      if (store.find() !== undefined) throw new Failure('wrong_state', 'The example data is here already.');
      if (store.records() > 0)
        throw new Failure(
          'wrong_state',
          'There is data of yours in a namespace that begins with example-. Nothing was put there.',
        );
      // What is here under its names would be taken away with it, for good.
      if (store.hasFiles())
        throw new Failure(
          'wrong_state',
          'There are files in a source that begins with example-. Nothing was put there.',
        );
      if (debits.stateOf(EXAMPLE_DEBIT) !== undefined)
        throw new Failure('wrong_state', `There is a request ${EXAMPLE_DEBIT} already. Nothing was put there.`);
      records.createWithin(tx, all, origin);
      const counted = { day: Math.floor(now / DAY_MS), records: all.length, endpoints: store.pathIds() };
      store.insert(tx, now, counted);
      tell(tx);
    });
    for (const { name, title, text } of EXAMPLE_FILES) {
      const bytes = Buffer.from(text);
      const { fileId } = await files.create({ name, title, source: EXAMPLE_SOURCE, tags: ['example'] }, caller);
      try {
        await files.piece(fileId, { offset: 0, size: bytes.length }, Readable.from([bytes]));
        await files.complete(fileId, caller);
      } catch (error) {
        // The owner took it away again at once.
        ignoring('not_found')(error);
      }
    }
    await debits.propose(EXAMPLE_DEBIT, exampleRequest(now), { kind: 'application', name: EXAMPLE_DEBIT });
  };

  const dropFolder = async (): Promise<void> => {
    try {
      await rmdir(join(parts.folder, EXAMPLE_SOURCE));
    } catch (error) {
      // What the owner put there stays, and with it the folder.
      if (codeOf(error) !== 'ENOTEMPTY') unlessMissing(error);
    }
  };

  const settle = async (): Promise<void> => {
    parts.indexes.reconcile();
    await parts.indexes.whenIdle();
  };

  const take = async (): Promise<void> => {
    const found = store.find();
    if (found === undefined) return;
    await writer.write((tx) => {
      debits.eraseWithin(tx, EXAMPLE_DEBIT);
      events.notify(tx, 'debits');
    });
    // An index that is being built for the shared endpoint would intern its name again.
    await settle();
    for (const fileId of store.fileIds()) await files.erase(fileId).catch(ignoring('not_found'));
    await dropFolder();
    const endpoints = [...found.counted.endpoints, ...store.endpointIds()];
    const day = Math.floor(clock.now() / DAY_MS);
    const before = store.activityOf(day, 'deleted');
    await writer.write((tx) => store.giveUp(tx));
    for (let round = 0; store.paths().length > 0 || store.onTheWayOut() > 0; round += 1) {
      if (round > MAX_ROUNDS) throw new Failure('internal_error', 'Some of it could not be taken away. Try again.');
      for (const path of store.paths()) await deletions.clearEndpoint(path, OWNER);
      await writer.write((tx) => {
        for (const id of store.pathIds()) parts.dropEmpty(tx, id);
      });
      await deletions.sweep();
      // Indexes of what is gone go, too; one that was being made may have brought an empty endpoint back.
      await settle();
    }
    await writer.write((tx) => {
      const gone = Math.max(0, store.activityOf(day, 'deleted') - before);
      const { counted } = found;
      const counts: Count[] = [
        { day: counted.day, kind: 'created', count: counted.records },
        { day, kind: 'deleted', count: gone },
      ];
      store.dropMarks(tx, { endpoints, origin: ORIGIN, counts });
      store.drop(tx);
      tell(tx);
    });
  };

  return {
    view,
    /** @throws Failure wrong_state | already_exists | too_large | out_of_disk */
    put: (caller: FileCaller): Promise<Examples> =>
      alone(async () => {
        await put(caller);
        return view();
      }),
    /** Fine when there is none. @throws Failure out_of_disk */
    take: (): Promise<Examples> =>
      alone(async () => {
        await take();
        return view();
      }),
  };
};

export type ExampleService = ReturnType<typeof createExampleService>;
