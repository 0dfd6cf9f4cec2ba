import type { Transaction } from '../storage/index.ts';
import { fileIdOf, slugOf } from './rules.ts';
import type { FileStore } from './store.ts';

/** The first free id of this source and name (decisions 6). */
export const takeFileId = (
  store: Pick<FileStore, 'takeSlug' | 'isTaken'>,
  tx: Transaction,
  source: string,
  name: string,
): string => {
  const slug = slugOf(source, name);
  for (;;) {
    const fileId = fileIdOf(slug, store.takeSlug(tx, fileIdOf(slug, 0)) - 1);
    if (!store.isTaken(fileId)) return fileId;
  }
};
