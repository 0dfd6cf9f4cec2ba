import { Failure } from '../../../platform/failure.ts';
import type { EventService } from '../../core/events/service.ts';
import { seqOfId } from '../../core/sequence.ts';
import type { Writer } from '../../storage/index.ts';
import type { FileRow, FileStore } from '../store.ts';
import type { MapFileStore } from './store.ts';

export type MapFileService = ReturnType<typeof createMapFileService>;

export const createMapFileService = (parts: {
  store: MapFileStore;
  files: Pick<FileStore, 'findByFileId' | 'findBySeq'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
}) => {
  const { store, files, writer, events } = parts;

  const find = (): FileRow | undefined => {
    const id = store.id();
    const seq = id === undefined ? undefined : seqOfId(id);
    const row = seq === undefined ? undefined : files.findBySeq(seq);
    return row?.id === id ? row : undefined;
  };

  return {
    /** Returns the chosen file, which may be deleted. */
    find,

    /**
     * @param fileId null for maps without street detail
     * @throws Failure not_found if there is no such complete file
     */
    choose: (fileId: string | null): Promise<FileRow | undefined> =>
      writer.write((tx) => {
        if (fileId === null) {
          store.remove(tx);
        } else {
          const row = files.findByFileId(fileId);
          if (row?.status !== 'Completed')
            throw new Failure('not_found', `There is no complete file ${fileId}. The map file was not changed.`);
          store.set(tx, row.id);
        }
        events.notify(tx, 'files');
        return find();
      }),
  };
};
