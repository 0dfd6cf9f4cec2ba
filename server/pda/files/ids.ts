import type { Transaction } from '../storage/index.ts';
import { fileIdOf, slugOf } from './rules.ts';
import type { FileStore } from './store.ts';

/** Assigns an unused file id for a source and a name (docs/decisions.md, section 6). */
export const assignFileId = (
  store: Pick<FileStore, 'incrementSlugCount' | 'hasFileId'>,
  tx: Transaction,
  source: string,
  name: string,
): string => {
  const slug = slugOf(source, name);
  for (;;) {
    const fileId = fileIdOf(slug, store.incrementSlugCount(tx, fileIdOf(slug, 0)) - 1);
    if (!store.hasFileId(fileId)) return fileId;
  }
};
