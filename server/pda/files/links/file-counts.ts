import type { DatabaseThread } from '../../storage/index.ts';
import { belowFolderSql } from '../search/folders.ts';
import type { ShareLinkRow } from './store.ts';

const COUNTS_SQL = `
  SELECT l.folder, NULL AS collection, (
    SELECT count(*) FROM files f INDEXED BY files_by_folder WHERE ${belowFolderSql('l.folder')}) AS files
  FROM (SELECT DISTINCT folder FROM share_links WHERE folder IS NOT NULL) l
  UNION ALL
  SELECT NULL, l.collection, (
    SELECT count(*) FROM collection_files m CROSS JOIN files f ON f.seq = m.seq
    WHERE m.collection = l.collection AND f.status = 'Completed')
  FROM (SELECT DISTINCT collection FROM share_links WHERE collection IS NOT NULL) l`;

type Target = Pick<ShareLinkRow, 'folder' | 'collection'>;

/**
 * Counts the files of all folders and collections that have links. Returns a function that returns the count for a
 * link; 0 for a link to individual files.
 */
export const readFileCounts = async (reader: Pick<DatabaseThread, 'all'>): Promise<(link: Target) => number> => {
  const rows = await reader.all<Target & { files: number }>(COUNTS_SQL);
  const keyOf = ({ folder, collection }: Target): string => `${folder ?? ''} ${collection ?? ''}`;
  const counts = new Map(rows.map((row) => [keyOf(row), row.files]));
  return (link) => counts.get(keyOf(link)) ?? 0;
};
