import type { Database } from '../storage/index.ts';
import { createFetchNotes } from './fetches.ts';
import { createFolder } from './folder.ts';
import { ownerFileRoutes } from './owner-routes.ts';
import { fileRoutes } from './routes.ts';
import { createFileSearchStore } from './search-store.ts';
import { createFileService, type FileParts } from './service.ts';
import { storageRoutes } from './storage-routes.ts';
import { createFileStore } from './store.ts';

export { newestFileSeq } from './store.ts';

export type FileRoomParts = Omit<FileParts, 'store' | 'searchStore'> & {
  db: Database;
  ledger: Parameters<typeof createFetchNotes>[0]['ledger'];
  personName: (userId: string) => string;
  approvedVersion: (application: string) => string;
  networkOf: (address: string) => string;
  /** Scheme and host that lead to this PDA, for a host through which a call came. */
  baseOf: (host: string) => string;
};

/** Everything about files, put together. */
export const createFileRoom = (parts: FileRoomParts) => {
  const { db, baseOf, log, clock } = parts;
  const store = createFileStore(db);
  const searchStore = createFileSearchStore(db, store);
  const files = createFileService({ ...parts, store, searchStore });
  const fetches = createFetchNotes({
    ledger: parts.ledger,
    personName: parts.personName,
    approvedVersion: parts.approvedVersion,
    networkOf: parts.networkOf,
    now: () => clock.now(),
    log,
  });
  const folder = createFolder({ ...parts, store, disk: files.disk });
  return {
    files,
    folder,
    routes: [
      ...fileRoutes({ files, baseOf }),
      ...storageRoutes({ files, fetches }),
      ...ownerFileRoutes({ files, search: searchStore, isWatching: folder.isWatching, baseOf }),
    ] as const,
    /** Puts right what a stop left halfway. Before anything is served: what comes in meanwhile would look like a remainder. */
    recover: files.recover,
    /** Follows the folder from now on. Serving does not wait for it. */
    start() {
      files.start();
      return folder.start();
    },
    async close(): Promise<void> {
      await folder.close();
      await files.close();
    },
  };
};
