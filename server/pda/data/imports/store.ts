import type { ImportJob } from '../../../wire/imports.ts';
import type { Database, Transaction } from '../../storage/index.ts';

/** A row of the table `imports`. Times are Unix milliseconds, sizes are bytes. */
export type ImportRow = {
  id: string;
  file_name: string;
  /** Path of the first local file that is read in place; null for an upload. */
  path: string | null;
  /** Modification time of this local file; null for an upload. */
  changed: number | null;
  size: number;
  received: number;
  state: ImportJob['state'];
  endpoint: string | null;
  format: ImportJob['format'];
  /** Column types that the owner chose, as JSON. */
  column_types: string | null;
  /** Names that lead to the list of records in a JSON file, as JSON. */
  list: string | null;
  /** Index of the next element to import. */
  position: number;
  /**
   * Sequence number up to which existing records are compared with the elements; null if the endpoint was empty, and
   * for exports and bank statements.
   */
  before_seq: number | null;
  bytes_read: number;
  added: number;
  skipped: number;
  error_line: number | null;
  error_problem: string | null;
  /** Files of the import, as JSON; null for a single file, unless the command line imports it as an export. */
  parts: string | null;
  /** Selected kinds of an export, or options of a bank statement, as JSON. */
  options: string | null;
  /** Cursor of a run within the files of an export, as JSON. */
  cursor: string | null;
  changed_records: number;
  problem_count: number;
  created: number;
  started: number | null;
  finished: number | null;
  /** Time at which the owner dismissed the failure on Home. */
  dismissed: number | null;
};

export type Progress = Pick<ImportRow, 'position' | 'bytes_read' | 'added' | 'skipped'>;

/** Columns of a new import. The others have their default values. */
export type NewImportRow = Pick<
  ImportRow,
  'id' | 'file_name' | 'path' | 'changed' | 'size' | 'received' | 'state' | 'parts' | 'created'
>;
type StartedRow = Pick<
  ImportRow,
  'id' | 'endpoint' | 'format' | 'column_types' | 'list' | 'before_seq' | 'started' | 'options'
>;

export type ImportStore = ReturnType<typeof createImportStore>;

export const createImportStore = (db: Database) => {
  const insert = db.prepare(
    `INSERT INTO imports (id, file_name, path, changed, size, received, state, parts, created)
     VALUES (:id, :file_name, :path, :changed, :size, :received, :state, :parts, :created)`,
  );
  const find = db.prepare<[string], ImportRow>('SELECT * FROM imports WHERE id = ?');
  const list = db.prepare<[], ImportRow>('SELECT * FROM imports ORDER BY created DESC, id LIMIT 200');
  const listByState = db.prepare<[string], ImportRow>('SELECT * FROM imports WHERE state = ?');
  const findInterrupted = db.prepare<[string, number, number, string | null], ImportRow>(
    `SELECT * FROM imports WHERE path = ? AND changed = ? AND size = ? AND endpoint IS ?
       AND (state = 'running' OR (state = 'failed' AND error_line IS NULL)) ORDER BY created DESC`,
  );
  const setReceived = db.prepare("UPDATE imports SET received = ?, state = ? WHERE id = ? AND state = 'receiving'");
  const start = db.prepare(
    `UPDATE imports SET state = 'running', endpoint = :endpoint, format = :format, column_types = :column_types, list = :list,
       before_seq = :before_seq, started = :started, options = :options, cursor = NULL, position = 0, bytes_read = 0,
       added = 0, skipped = 0, changed_records = 0, problem_count = 0, error_line = NULL, error_problem = NULL, finished = NULL,
       dismissed = NULL
     WHERE id = :id`,
  );
  const resume = db.prepare(
    `UPDATE imports SET state = 'running', error_line = NULL, error_problem = NULL, finished = NULL, dismissed = NULL
     WHERE id = ? AND state IN ('running', 'failed', 'cancelled')`,
  );
  const setProgress = db.prepare(
    'UPDATE imports SET position = ?, bytes_read = ?, added = ?, skipped = ?, problem_count = ? WHERE id = ?',
  );
  const finish = db.prepare(
    'UPDATE imports SET state = ?, finished = ?, error_line = ?, error_problem = ? WHERE id = ?',
  );
  const dismiss = db.prepare('UPDATE imports SET dismissed = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM imports WHERE id = ?');

  return {
    insert: (_tx: Transaction, row: NewImportRow) => void insert.run(row),
    find: (id: string): ImportRow | undefined => find.get(id),
    list: (): ImportRow[] => list.all(),
    listByState: (state: ImportRow['state']): ImportRow[] => listByState.all(state),
    /** Returns the latest interrupted import of a file into an endpoint. Omits imports that failed at a line. */
    findInterrupted: (path: string, changed: number, size: number, endpoint: string | null): ImportRow | undefined =>
      findInterrupted.get(path, changed, size, endpoint),
    /** Stores the upload progress. Returns false if the import is no longer receiving its file. */
    setReceived: (_tx: Transaction, id: string, received: number, state: ImportRow['state']): boolean =>
      setReceived.run(received, state, id).changes > 0,
    /** Starts an import at its first element. */
    start: (_tx: Transaction, row: StartedRow) => void start.run(row),
    /** Resumes an import at its position. Returns false if its state does not allow this. */
    resume: (_tx: Transaction, id: string): boolean => resume.run(id).changes > 0,
    setProgress: (_tx: Transaction, id: string, progress: Progress, problems: number) =>
      void setProgress.run(progress.position, progress.bytes_read, progress.added, progress.skipped, problems, id),
    finish: (
      _tx: Transaction,
      id: string,
      outcome: { state: ImportRow['state']; time: number; line?: number | null; problem?: string },
    ) => void finish.run(outcome.state, outcome.time, outcome.line ?? null, outcome.problem ?? null, id),
    dismiss: (_tx: Transaction, id: string, time: number) => void dismiss.run(time, id),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
  };
};
