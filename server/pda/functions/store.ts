import type { RunOutcome, RunReason } from '../../wire/functions.ts';
import type { Database, Transaction } from '../storage/index.ts';

/** Times are in Unix milliseconds. */
export type FunctionRow = {
  id: string;
  version: string;
  location: string;
  endpoint: string;
  configuration: string | null;
  edition: string | null;
  problem: string | null;
  enabled: number;
  /** JSON of a `StoredApproval`. */
  approved: string | null;
  approved_at: number | null;
  last_execution: number | null;
  /** JSON of a `Cursor`. */
  cursor: string | null;
  /** Failed runs since the last success. */
  failures: number;
  /**
   * Last event of the input of the last failed run. After the last retry, only later events trigger another attempt.
   */
  failed_event: number;
  /** JSON of the time and the chain of the last cycle that was stopped. */
  cycle: string | null;
};

/** `installed`: Unix milliseconds. */
export type PackageRow = {
  id: string;
  manifest: string;
  folder: string;
  module: string;
  sha256: string;
  bytes: number;
  installed: number;
};

/** Times are in Unix milliseconds, `duration` in milliseconds, `peak_memory` in bytes. */
export type RunRow = {
  seq: number;
  id: string;
  function: string;
  version: string;
  reason: RunReason;
  started: number;
  finished: number | null;
  outcome: RunOutcome | null;
  message: string | null;
  /** JSON of a `Chain`. */
  chain: string;
  from_date: number | null;
  until_date: number;
  records_in: number;
  bytes_in: number;
  records_out: number;
  endpoint: string;
  first_seq: number | null;
  last_seq: number | null;
  duration: number | null;
  peak_memory: number | null;
  undone: number | null;
  /** Id of the deletion that undid the run. */
  deletion: string | null;
};

type NewRun = Pick<
  RunRow,
  'id' | 'function' | 'version' | 'reason' | 'started' | 'chain' | 'from_date' | 'until_date' | 'endpoint'
>;

export type RunEnd = Pick<
  RunRow,
  | 'id'
  | 'finished'
  | 'outcome'
  | 'message'
  | 'chain'
  | 'records_in'
  | 'bytes_in'
  | 'records_out'
  | 'first_seq'
  | 'last_seq'
  | 'duration'
  | 'peak_memory'
> & { log: string };

const FUNCTION_COLUMNS =
  'id, version, location, endpoint, configuration, edition, problem, enabled, approved, approved_at, last_execution, cursor, failures, failed_event, cycle';
const RUN_COLUMNS =
  'seq, id, function, version, reason, started, finished, outcome, message, chain, from_date, until_date, records_in, bytes_in, records_out, endpoint, first_seq, last_seq, duration, peak_memory, undone, deletion';

export type FunctionStore = ReturnType<typeof createFunctionStore>;

const PAUSED_KEY = 'functions_paused';

export const createFunctionStore = (db: Database) => {
  const findPausedSince = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
  const pause = db.prepare('INSERT OR IGNORE INTO settings (key, value) VALUES (?, ?)');
  const resume = db.prepare('DELETE FROM settings WHERE key = ?');
  const findOne = db.prepare<[string], FunctionRow>(`SELECT ${FUNCTION_COLUMNS} FROM functions WHERE id = ?`);
  const findAll = db.prepare<[], FunctionRow>(`SELECT ${FUNCTION_COLUMNS} FROM functions ORDER BY id`);
  const register = db.prepare<[Pick<FunctionRow, 'id' | 'version' | 'location' | 'endpoint'>]>(
    `INSERT INTO functions (id, version, location, endpoint) VALUES (:id, :version, :location, :endpoint)
     ON CONFLICT (id) DO UPDATE SET version = excluded.version, location = excluded.location, endpoint = excluded.endpoint`,
  );
  const configure = db.prepare(
    'UPDATE functions SET configuration = :configuration, edition = :edition, problem = NULL WHERE id = :id',
  );
  const setProblem = db.prepare('UPDATE functions SET problem = ? WHERE id = ?');
  const enable = db.prepare<[Pick<FunctionRow, 'id' | 'approved' | 'approved_at' | 'cursor'>]>(
    `UPDATE functions SET enabled = 1, approved = :approved, approved_at = :approved_at, cursor = coalesce(cursor, :cursor),
       failures = 0, failed_event = 0, cycle = NULL WHERE id = :id`,
  );
  const disable = db.prepare('UPDATE functions SET enabled = 0 WHERE id = ?');
  const setCursor = db.prepare('UPDATE functions SET cursor = ? WHERE id = ?');
  const succeed = db.prepare<[{ id: string; cursor: string; time: number }]>(
    'UPDATE functions SET cursor = :cursor, last_execution = :time, failures = 0, failed_event = 0 WHERE id = :id',
  );
  const clearFailures = db.prepare('UPDATE functions SET failures = 0, failed_event = 0 WHERE id = ?');
  const fail = db.prepare('UPDATE functions SET failures = failures + 1, failed_event = ? WHERE id = ?');
  const setCycle = db.prepare('UPDATE functions SET cycle = ? WHERE id = ?');

  const packages = db.prepare<[], PackageRow>('SELECT * FROM function_packages ORDER BY id');
  const findPackage = db.prepare<[string], PackageRow>('SELECT * FROM function_packages WHERE id = ?');
  const putPackage = db.prepare<[PackageRow]>(
    `INSERT INTO function_packages (id, manifest, folder, module, sha256, bytes, installed)
     VALUES (:id, :manifest, :folder, :module, :sha256, :bytes, :installed)
     ON CONFLICT (id) DO UPDATE SET manifest = excluded.manifest, folder = excluded.folder, module = excluded.module,
       sha256 = excluded.sha256, bytes = excluded.bytes, installed = excluded.installed`,
  );
  const dropPackage = db.prepare('DELETE FROM function_packages WHERE id = ?');

  const beginRun = db.prepare<[NewRun]>(
    `INSERT INTO function_runs (id, function, version, reason, started, chain, from_date, until_date, endpoint)
     VALUES (:id, :function, :version, :reason, :started, :chain, :from_date, :until_date, :endpoint)`,
  );
  const endRun = db.prepare<[RunEnd]>(
    `UPDATE function_runs SET finished = :finished, outcome = :outcome, message = :message, chain = :chain,
       records_in = :records_in, bytes_in = :bytes_in, records_out = :records_out, first_seq = :first_seq, last_seq = :last_seq,
       duration = :duration, peak_memory = :peak_memory, log = :log WHERE id = :id AND finished IS NULL`,
  );
  const deleteRun = db.prepare('DELETE FROM function_runs WHERE id = ?');
  const findRun = db.prepare<[string], RunRow>(`SELECT ${RUN_COLUMNS} FROM function_runs WHERE id = ?`);
  const logOf = db.prepare<[string], string>('SELECT log FROM function_runs WHERE id = ?').pluck();
  const unfinishedRuns = db.prepare<[], RunRow>(
    `SELECT ${RUN_COLUMNS} FROM function_runs WHERE finished IS NULL ORDER BY seq`,
  );
  const runInProgressOf = db.prepare<[string], RunRow>(
    `SELECT ${RUN_COLUMNS} FROM function_runs WHERE finished IS NULL AND function = ? ORDER BY seq LIMIT 1`,
  );
  const runs = db.prepare<[string, number, number], RunRow>(
    `SELECT ${RUN_COLUMNS} FROM function_runs WHERE function = ? ORDER BY seq DESC LIMIT ? OFFSET ?`,
  );
  const countRuns = db.prepare<[string], number>('SELECT count(*) FROM function_runs WHERE function = ?').pluck();
  const pruneRuns = db.prepare<[{ id: string; maxRuns: number }]>(
    `DELETE FROM function_runs WHERE function = :id AND finished IS NOT NULL AND seq <=
       (SELECT seq FROM function_runs WHERE function = :id ORDER BY seq DESC LIMIT 1 OFFSET :maxRuns)`,
  );
  const extendStoppedRun = db.prepare(
    'UPDATE function_runs SET finished = ?, records_in = records_in + ? WHERE seq = ?',
  );
  const setUndone = db.prepare('UPDATE function_runs SET undone = ?, deletion = ? WHERE id = ?');
  const clearUndone = db.prepare('UPDATE function_runs SET undone = NULL, deletion = NULL WHERE deletion = ?');

  return {
    /** Returns the start of the pause in Unix milliseconds; undefined if functions are not paused. */
    pausedSince(): number | undefined {
      const since = findPausedSince.get(PAUSED_KEY);
      return since === undefined ? undefined : Number(since);
    },
    /** Pauses or resumes all functions. @param since start of the pause in Unix milliseconds; undefined to resume */
    setPaused(_tx: Transaction, since: number | undefined): void {
      if (since === undefined) resume.run(PAUSED_KEY);
      else pause.run(PAUSED_KEY, String(since));
    },
    find: (id: string): FunctionRow | undefined => findOne.get(id),
    list: (): FunctionRow[] => findAll.all(),
    register: (_tx: Transaction, row: Pick<FunctionRow, 'id' | 'version' | 'location' | 'endpoint'>) =>
      void register.run(row),
    configure: (_tx: Transaction, row: Pick<FunctionRow, 'id' | 'configuration' | 'edition'>) =>
      void configure.run(row),
    setProblem: (_tx: Transaction, id: string, problem: string) => void setProblem.run(problem, id),
    /** @param row.cursor ignored if the function already has a cursor */
    enable: (_tx: Transaction, row: Pick<FunctionRow, 'id' | 'approved' | 'approved_at' | 'cursor'>) =>
      void enable.run(row),
    disable: (_tx: Transaction, id: string) => void disable.run(id),
    setCursor: (_tx: Transaction, id: string, cursor: string) => void setCursor.run(cursor, id),
    succeed: (_tx: Transaction, success: { id: string; cursor: string; time: number }) => void succeed.run(success),
    clearFailures: (_tx: Transaction, id: string) => void clearFailures.run(id),
    /**
     * Counts a failed run.
     * @param upToEvent last event of its input; after the last retry, only later events trigger another attempt
     */
    fail: (_tx: Transaction, id: string, upToEvent: number) => void fail.run(upToEvent, id),
    setCycle: (_tx: Transaction, id: string, cycle: string) => void setCycle.run(cycle, id),

    packages: (): PackageRow[] => packages.all(),
    findPackage: (id: string): PackageRow | undefined => findPackage.get(id),
    putPackage: (_tx: Transaction, row: PackageRow) => void putPackage.run(row),
    dropPackage: (_tx: Transaction, id: string) => void dropPackage.run(id),

    beginRun: (_tx: Transaction, row: NewRun) => void beginRun.run(row),
    endRun: (_tx: Transaction, end: RunEnd) => void endRun.run(end),
    deleteRun: (_tx: Transaction, id: string) => void deleteRun.run(id),
    findRun: (id: string): RunRow | undefined => findRun.get(id),
    logOf: (id: string): string => logOf.get(id) ?? '[]',
    unfinishedRuns: (): RunRow[] => unfinishedRuns.all(),
    runInProgressOf: (id: string): RunRow | undefined => runInProgressOf.get(id),
    /** Returns a page of runs, newest first. */
    runs: (id: string, skip: number, take: number): RunRow[] => runs.all(id, take, skip),
    countRuns: (id: string): number => countRuns.get(id) ?? 0,
    pruneRuns: (_tx: Transaction, id: string, maxRuns: number) => void pruneRuns.run({ id, maxRuns }),
    /** Adds skipped records to a run that was stopped because of a cycle, and sets its end. */
    extendStoppedRun: (_tx: Transaction, seq: number, finished: number, skippedRecords: number) =>
      void extendStoppedRun.run(finished, skippedRecords, seq),
    setUndone: (_tx: Transaction, run: string, time: number, deletion: string | null) =>
      void setUndone.run(time, deletion, run),
    /** Clears the undo that made this deletion. Returns false if no run was undone by it. */
    clearUndone: (_tx: Transaction, deletion: string): boolean => clearUndone.run(deletion).changes > 0,
  };
};
