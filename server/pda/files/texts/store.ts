import type { FileMatch } from '../../../wire/search.ts';
import { orderMatches } from '../../core/text-ranking.ts';
import type { Database, DatabaseThread, Transaction } from '../../storage/index.ts';

/** Number of matches whose files are read. Files of excluded sources are not returned. */
const CANDIDATES = 500;
/** Condition: the file may have text. Must equal the condition of the index `files_with_text`. */
const MAY_HAVE_TEXT_SQL = "status = 'Completed' AND kind IN ('text', 'document')";

/** SQL of the text of files and its full-text index. Triggers remove the text of a file with its content. */
export type FileTextStore = ReturnType<typeof createFileTextStore>;

export const createFileTextStore = (db: Database, reader: Pick<DatabaseThread, 'all'>) => {
  const queuedTo = db.prepare<[], number | null>('SELECT queued_to FROM file_text_progress').pluck();
  const setQueuedTo = db.prepare<[number | null]>('UPDATE file_text_progress SET queued_to = ?');
  const lastOfBatch = db
    .prepare<[number, number], number | null>(
      `SELECT max(seq) FROM
         (SELECT seq FROM files INDEXED BY files_with_text WHERE ${MAY_HAVE_TEXT_SQL} AND seq > ? ORDER BY seq LIMIT ?)`,
    )
    .pluck();
  const queueRange = db.prepare<[{ after: number; upTo: number }]>(
    `INSERT OR IGNORE INTO file_text_queue
       SELECT seq FROM files INDEXED BY files_with_text WHERE ${MAY_HAVE_TEXT_SQL} AND seq > :after AND seq <= :upTo`,
  );
  const queuedAfter = db
    .prepare<[number, number], number>('SELECT seq FROM file_text_queue WHERE seq > ? ORDER BY seq LIMIT ?')
    .pluck();
  const dequeue = db.prepare<[number]>('DELETE FROM file_text_queue WHERE seq = ?');
  const isStored = db.prepare<[number], number>('SELECT 1 FROM file_texts WHERE seq = ?').pluck();
  const removeText = db.prepare<[number]>('DELETE FROM file_texts WHERE seq = ?');
  const insertText = db.prepare<[{ seq: number; sha256: string | null; readable: number; text: string }]>(
    `INSERT INTO file_texts (seq, readable, text)
       SELECT seq, :readable, :text FROM files WHERE seq = :seq AND sha256 IS :sha256 AND ${MAY_HAVE_TEXT_SQL}
       ON CONFLICT DO NOTHING`,
  );
  const insertWords = db.prepare<[{ seq: number; text: string }]>(
    'INSERT INTO file_text_words (rowid, words) VALUES (:seq, pda_words(:text))',
  );
  const hasUnusedWords = db
    .prepare<[], number>(
      'SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM file_texts) AND EXISTS (SELECT 1 FROM file_text_words_idx)',
    )
    .pluck();
  const selectUnindexed = db.prepare(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM file_text_queue)
       OR EXISTS (SELECT 1 FROM file_text_progress WHERE queued_to IS NOT NULL)`,
  );

  return {
    /** Causes all files to be queued again. */
    requeue(tx: Transaction): void {
      void tx;
      setQueuedTo.run(0);
    },

    /** Queues the next files that may have text, at most `count`. Returns false if all are queued. */
    queueNext(tx: Transaction, count: number): boolean {
      void tx;
      const after = queuedTo.get() ?? null;
      if (after === null) return false;
      const upTo = lastOfBatch.get(after, count) ?? null;
      if (upTo !== null) queueRange.run({ after, upTo });
      setQueuedTo.run(upTo);
      return upTo !== null;
    },

    /** Returns queued files in the order of their sequence numbers. */
    queuedAfter: (seq: number, count: number): number[] => queuedAfter.all(seq, count),
    dequeue: (_tx: Transaction, seq: number) => void dequeue.run(seq),
    /** Returns true if the text of a file is stored, or was found to be unreadable. */
    isStored: (seq: number): boolean => isStored.get(seq) !== undefined,

    /** Removes the text of a file, and the file from the queue. */
    remove(_tx: Transaction, seq: number): void {
      removeText.run(seq);
      dequeue.run(seq);
    },

    /**
     * Stores and indexes the text of a file, unless its content was replaced or deleted meanwhile.
     * @param text null if it could not be read
     */
    add(_tx: Transaction, file: { seq: number; sha256: string | null }, text: string | null): void {
      const { seq, sha256 } = file;
      const readable = text === null ? 0 : 1;
      // A file with new content stays in the queue.
      if (insertText.run({ seq, sha256, readable, text: text ?? '' }).changes === 0) return;
      dequeue.run(seq);
      if (text !== null) insertWords.run({ seq, text });
    },

    /** Frees the space of the full-text index if no text is left. Removed words take space until SQLite merges them. */
    emptyUnusedIndex(tx: Transaction): void {
      if (hasUnusedWords.get() !== undefined)
        tx.db.exec("INSERT INTO file_text_words (file_text_words) VALUES ('delete-all')");
    },

    /** Returns true if all files were examined. */
    isComplete: (): boolean => selectUnindexed.get() === undefined,

    /**
     * Returns the files with the best matches, or the newest ones if there are too many to rank.
     * @param match FTS5 expression
     * @param text the search as typed, for excerpts
     */
    async search(
      match: string,
      text: string,
      options: { take: number; excludedSources: readonly string[] },
    ): Promise<FileMatch[]> {
      const { score, order } = await orderMatches(reader, 'file_text_words', match);
      return reader.all<FileMatch>(
        `WITH candidates AS (SELECT rowid AS seq, ${score} AS score FROM file_text_words
             WHERE file_text_words MATCH ? ORDER BY ${order} LIMIT ${CANDIDATES}),
           best AS MATERIALIZED (SELECT seq, score FROM candidates JOIN files USING (seq)
             WHERE source NOT IN (SELECT value FROM json_each(?)) ORDER BY score, seq DESC LIMIT ?)
         SELECT file_id AS fileId, name, source, pda_excerpt(text, ?) AS excerpt
         FROM best JOIN files USING (seq) JOIN file_texts USING (seq) ORDER BY score, seq DESC`,
        [match, JSON.stringify(options.excludedSources), options.take, text],
      );
    },

    /** Returns the bytes on the disk, the number of files to examine, and of those whose text could not be read. */
    async size(): Promise<{ bytes: number; remaining: number; unreadable: number }> {
      const [row] = await reader.all<{ bytes: number; remaining: number; unreadable: number }>(
        `SELECT (SELECT coalesce(sum(octet_length(block)), 0) FROM file_text_words_data) +
             (SELECT coalesce(sum(octet_length(text)), 0) FROM file_texts) AS bytes,
           (SELECT count(*) FROM file_text_queue) +
             (SELECT count(*) FROM files INDEXED BY files_with_text WHERE ${MAY_HAVE_TEXT_SQL}
               AND seq > (SELECT coalesce(queued_to, ${Number.MAX_SAFE_INTEGER}) FROM file_text_progress)) AS remaining,
           (SELECT count(*) FROM file_texts WHERE readable = 0) AS unreadable`,
      );
      return row ?? { bytes: 0, remaining: 0, unreadable: 0 };
    },
  };
};
