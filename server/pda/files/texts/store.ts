import type { FileMatch } from '../../../wire/search.ts';
import { FILE_TEXT_MAX_BYTES, FILE_TEXTS_MAX_BYTES } from '../../../wire/work-limits.ts';
import { chooseMatchOrder } from '../../core/text-ranking.ts';
import type { FileTextSize, SearchOptions } from '../../data/queries/search/service.ts';
import type { Database, DatabaseThread, Transaction } from '../../storage/index.ts';
import { TEXT_READER_VERSION, type FileText, type QueuedFile } from './rules.ts';

/** Maximum number of matches among which the search looks for files whose source is not excluded. */
const CANDIDATES_MAX = 500;
/** Condition: the file may have text. Must equal the condition of the index `files_with_text`. */
const MAY_HAVE_TEXT_SQL = "status = 'Completed' AND kind IN ('text', 'document')";
/** Milliseconds until a file that could not be opened or read is tried again. Doubles with each further failure. */
const OPEN_RETRY_MS = 60_000;
const OPEN_RETRY_MAX_MS = 6 * 3_600_000;

const NO_SIZE: FileTextSize = { bytes: 0, remaining: 0, unopened: 0, unreadable: 0, leftOut: 0 };

type ExaminedFile = { seq: number; sha256: string | null };
type TextState = 'stored' | 'unreadable' | 'left out';

/** Database triggers remove the text of a file when its content is replaced or deleted. */
export type FileTextStore = ReturnType<typeof createFileTextStore>;

export const createFileTextStore = (db: Database, reader: Pick<DatabaseThread, 'all'>) => {
  const queuedTo = db.prepare<[], number | null>('SELECT queued_to FROM file_text_progress').pluck();
  const setQueuedTo = db.prepare<[number | null]>('UPDATE file_text_progress SET queued_to = ?');
  const textBytes = db.prepare<[], number>('SELECT bytes FROM file_text_progress').pluck();
  const lastOfBatch = db
    .prepare<[number, number], number | null>(
      `SELECT max(seq) FROM
         (SELECT seq FROM files INDEXED BY files_with_text WHERE ${MAY_HAVE_TEXT_SQL} AND seq > ? ORDER BY seq LIMIT ?)`,
    )
    .pluck();
  const queueRange = db.prepare<[{ after: number; upTo: number }]>(
    `INSERT OR IGNORE INTO file_text_queue (seq)
       SELECT seq FROM files INDEXED BY files_with_text WHERE ${MAY_HAVE_TEXT_SQL} AND seq > :after AND seq <= :upTo`,
  );
  const listQueuedAfter = db.prepare<[{ after: number; count: number; now: number }], QueuedFile>(
    'SELECT seq, attempts FROM file_text_queue WHERE seq > :after AND retry_at <= :now ORDER BY seq LIMIT :count',
  );
  const beginReading = db.prepare<[number]>('UPDATE file_text_queue SET attempts = attempts + 1 WHERE seq = ?');
  const cancelReading = db.prepare<[number]>(
    'UPDATE file_text_queue SET attempts = attempts - 1 WHERE seq = ? AND attempts > 0',
  );
  const postpone = db.prepare<[{ seq: number; now: number }]>(
    `UPDATE file_text_queue SET attempts = 0, failures = failures + 1,
       retry_at = :now + min(${OPEN_RETRY_MS} << min(failures, 20), ${OPEN_RETRY_MAX_MS}) WHERE seq = :seq`,
  );
  const nextRetry = db
    .prepare<[], number | null>('SELECT min(retry_at) FROM file_text_queue WHERE retry_at > 0')
    .pluck();
  const enqueue = db.prepare<[number]>('INSERT OR IGNORE INTO file_text_queue (seq) VALUES (?)');
  const dequeue = db.prepare<[number]>('DELETE FROM file_text_queue WHERE seq = ?');
  const selectOutdated = db
    .prepare<[number, number], number>(
      "SELECT seq FROM file_texts WHERE state = 'unreadable' AND reader < ? ORDER BY reader LIMIT ?",
    )
    .pluck();
  const selectLeftOut = db
    .prepare<[number], number>("SELECT seq FROM file_texts WHERE state = 'left out' ORDER BY seq LIMIT ?")
    .pluck();
  const isExamined = db.prepare<[number], number>('SELECT 1 FROM file_texts WHERE seq = ?').pluck();
  const removeText = db.prepare<[number]>('DELETE FROM file_texts WHERE seq = ?');
  const insertText = db.prepare<[ExaminedFile & { state: TextState; text: string }]>(
    `INSERT INTO file_texts (seq, state, reader, text)
       SELECT seq, :state, ${TEXT_READER_VERSION}, :text FROM files
       WHERE seq = :seq AND sha256 IS :sha256 AND ${MAY_HAVE_TEXT_SQL} ON CONFLICT DO NOTHING`,
  );
  const insertWords = db.prepare<[{ seq: number; words: string }]>(
    'INSERT INTO file_text_words (rowid, words) VALUES (:seq, :words)',
  );
  const hasUnusedWords = db
    .prepare<[], number>(
      'SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM file_texts) AND EXISTS (SELECT 1 FROM file_text_words_idx)',
    )
    .pluck();
  const selectUnindexed = db.prepare(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM file_text_queue WHERE retry_at = 0)
       OR EXISTS (SELECT 1 FROM file_text_progress WHERE queued_to IS NOT NULL)`,
  );

  /** Returns false and has no effect if the content was replaced or deleted, or the file has already been examined. */
  const insert = ({ seq, sha256 }: ExaminedFile, state: TextState, text: string): boolean => {
    if (insertText.run({ seq, sha256, state, text }).changes === 0) return false;
    dequeue.run(seq);
    return true;
  };

  /** Queues files again. Returns false if there are none. */
  const queueAgain = (seqs: readonly number[]): boolean => {
    for (const seq of seqs) {
      removeText.run(seq);
      enqueue.run(seq);
    }
    return seqs.length > 0;
  };

  return {
    /** Makes `queueNext` start with the first file again. */
    requeue: (_tx: Transaction) => void setQueuedTo.run(0),

    /** Queues the next files that may have text. Returns false if there are none. */
    queueNext(_tx: Transaction, count: number): boolean {
      const after = queuedTo.get() ?? null;
      if (after === null) return false;
      const upTo = lastOfBatch.get(after, count) ?? null;
      if (upTo !== null) queueRange.run({ after, upTo });
      setQueuedTo.run(upTo);
      return upTo !== null;
    },

    /** Queues files that an earlier version of the reader could not read. Returns false if there are none. */
    queueOutdated: (_tx: Transaction, count: number): boolean =>
      queueAgain(selectOutdated.all(TEXT_READER_VERSION, count)),

    /** Queues files that were left out. Returns false if there are none, or no space for `count` texts. */
    queueLeftOut(_tx: Transaction, count: number): boolean {
      const hasSpace = (textBytes.get() ?? 0) + count * FILE_TEXT_MAX_BYTES <= FILE_TEXTS_MAX_BYTES;
      return hasSpace && queueAgain(selectLeftOut.all(count));
    },

    /** Returns queued files, except those that are postponed. @param page.now Unix milliseconds */
    listQueuedAfter: (page: { after: number; count: number; now: number }): QueuedFile[] => listQueuedAfter.all(page),
    dequeue: (_tx: Transaction, seq: number) => void dequeue.run(seq),
    /** Counts an attempt, so that a file that crashes the process can be recognised. */
    beginReading: (_tx: Transaction, seq: number) => void beginReading.run(seq),
    /** Subtracts the attempt of a file whose reading was cancelled. */
    cancelReading: (_tx: Transaction, seq: number) => void cancelReading.run(seq),
    /** Postpones a file, each time for longer. @param now Unix milliseconds */
    postpone: (_tx: Transaction, seq: number, now: number) => void postpone.run({ seq, now }),
    /** Returns the time of the next attempt in Unix milliseconds; undefined if no file is postponed. */
    nextRetry: (): number | undefined => nextRetry.get() ?? undefined,
    isExamined: (seq: number): boolean => isExamined.get(seq) !== undefined,
    isFull: (): boolean => (textBytes.get() ?? 0) >= FILE_TEXTS_MAX_BYTES,

    /** Removes the text of a file, and the file from the queue. */
    remove(_tx: Transaction, seq: number): void {
      removeText.run(seq);
      dequeue.run(seq);
    },

    /**
     * Has no effect if the content was replaced or deleted, or the file has already been examined.
     * @param text null if it could not be read
     */
    add(_tx: Transaction, file: ExaminedFile, text: FileText | null): void {
      if (text === null) insert(file, 'unreadable', '');
      else if (insert(file, 'stored', text.text)) insertWords.run({ seq: file.seq, words: text.words });
    },
    leaveOut: (_tx: Transaction, file: ExaminedFile) => void insert(file, 'left out', ''),

    /** Empties the index if no text is left, because removed words take space until SQLite merges them. */
    emptyUnusedIndex(tx: Transaction): void {
      if (hasUnusedWords.get() !== undefined)
        tx.db.exec("INSERT INTO file_text_words (file_text_words) VALUES ('delete-all')");
    },

    /** Returns true if no file is left to read, except for postponed ones. */
    isComplete: (): boolean => selectUnindexed.get() === undefined,

    /**
     * Returns the files with the best matches, or the newest ones if there are too many to rank.
     * @param match FTS5 expression
     * @param text the search as typed, for excerpts
     */
    async search(match: string, text: string, { take, excludedSources }: SearchOptions): Promise<FileMatch[]> {
      const { score, order } = await chooseMatchOrder(reader, 'file_text_words', match);
      return reader.all<FileMatch>(
        `WITH candidates AS (SELECT rowid AS seq, ${score} AS score FROM file_text_words
             WHERE file_text_words MATCH ? ORDER BY ${order} LIMIT ${CANDIDATES_MAX}),
           best AS MATERIALIZED (SELECT seq, score FROM candidates JOIN files USING (seq)
             WHERE source NOT IN (SELECT value FROM json_each(?)) ORDER BY score, seq DESC LIMIT ?)
         SELECT file_id AS fileId, name, source, pda_excerpt(text, ?) AS excerpt
         FROM best JOIN files USING (seq) JOIN file_texts USING (seq) ORDER BY score, seq DESC`,
        [match, JSON.stringify(excludedSources), take, text],
      );
    },

    /**
     * Counts the files by state and measures their texts. Includes the size of the index only if no files remain to be
     * read, because measuring reads the whole index.
     * @param options.isIdle false while the caller polls the progress of other work: the size of the index is omitted
     */
    async size({ isIdle }: { isIdle: boolean }): Promise<FileTextSize> {
      const [size = NO_SIZE] = await reader.all<FileTextSize>(
        `SELECT (SELECT bytes FROM file_text_progress) AS bytes,
           (SELECT count(*) FROM file_text_queue WHERE retry_at = 0) +
             (SELECT count(*) FROM files INDEXED BY files_with_text WHERE ${MAY_HAVE_TEXT_SQL}
               AND seq > (SELECT coalesce(queued_to, ${Number.MAX_SAFE_INTEGER}) FROM file_text_progress)) AS remaining,
           (SELECT count(*) FROM file_text_queue WHERE retry_at > 0) AS unopened,
           (SELECT count(*) FROM file_texts WHERE state = 'unreadable') AS unreadable,
           (SELECT count(*) FROM file_texts WHERE state = 'left out') AS leftOut`,
      );
      if (size.remaining > 0 || !isIdle) return size;
      const [index] = await reader.all<{ bytes: number }>(
        'SELECT coalesce(sum(octet_length(block)), 0) AS bytes FROM file_text_words_data',
      );
      return { ...size, bytes: size.bytes + (index?.bytes ?? 0) };
    },
  };
};
