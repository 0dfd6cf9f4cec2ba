import fs from 'node:fs';
import { ChildProcess } from 'node:child_process';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Counts blocking operations of the main thread: synchronous writes, fsyncs, renames, removals and copies of files,
// SQLite checkpoints and process starts. Also measures CPU time and the bytes that wait for an fsync. Preloaded into a
// program with `--import`. Writes one file per process to the folder `PDA_WORK_COUNTS` when the process exits. A server
// instead writes the file on each SIGUSR2 and resets the counts.

export type WorkCounts = {
  isServer: boolean;
  /** Number of blocking operations by name. */
  operations: Record<string, number>;
  /** The most bytes that were written to one file before an fsync. Files without an fsync do not count. */
  unsyncedBytesMax: number;
  /** CPU time in microseconds. */
  cpuUs: number;
};

const folder = process.env['PDA_WORK_COUNTS'];
if (isMainThread && folder !== undefined) {
  const isServer = process.argv.includes('serve');
  let operations: Record<string, number> = {};
  const unsyncedBytes = new Map<unknown, number>();
  let unsyncedBytesMax = 0;
  let previousUsage = process.cpuUsage();
  const count = (name: string): void => {
    operations[name] = (operations[name] ?? 0) + 1;
  };
  const wrap = (target: object, name: string, onCall: (args: unknown[]) => void): void => {
    const original: unknown = Reflect.get(target, name);
    if (typeof original !== 'function') throw new Error(`${name} does not exist`);
    Reflect.set(target, name, function (this: unknown, ...args: unknown[]): unknown {
      onCall(args);
      return Reflect.apply(original, this, args);
    });
  };
  const countSync =
    (name: string) =>
    ([descriptor]: unknown[]): void => {
      count(name);
      unsyncedBytesMax = Math.max(unsyncedBytesMax, unsyncedBytes.get(descriptor) ?? 0);
      unsyncedBytes.delete(descriptor);
    };
  wrap(fs, 'closeSync', ([descriptor]) => void unsyncedBytes.delete(descriptor));
  for (const name of ['fsyncSync', 'fdatasyncSync']) wrap(fs, name, countSync(name));
  for (const name of ['renameSync', 'rmSync', 'copyFileSync', 'cpSync']) wrap(fs, name, () => count(name));
  wrap(fs, 'writeSync', (args) => {
    const [descriptor, content, , length] = args;
    // Standard output and standard error are not files.
    if (Number(descriptor) <= 2) return;
    count('writeSync');
    const byteCount = typeof length === 'number' ? length : Buffer.isBuffer(content) ? content.length : 0;
    unsyncedBytes.set(descriptor, (unsyncedBytes.get(descriptor) ?? 0) + byteCount);
  });
  syncBuiltinESMExports();
  wrap(ChildProcess.prototype, 'spawn', () => count('spawn'));
  const Sqlite: unknown = createRequire(import.meta.url)('better-sqlite3');
  if (typeof Sqlite !== 'function') throw new Error('better-sqlite3 is not a constructor');
  wrap(Sqlite.prototype as object, 'pragma', ([text]) => {
    if (String(text).includes('checkpoint')) count('checkpoint');
  });

  const { writeFileSync, renameSync } = fs;
  const write = (): void => {
    const usage = process.cpuUsage(previousUsage);
    const record: WorkCounts = {
      isServer,
      operations,
      unsyncedBytesMax,
      cpuUs: usage.user + usage.system,
    };
    const file = `${folder}/${process.pid}`;
    writeFileSync(`${file}.new`, JSON.stringify(record));
    renameSync(`${file}.new`, `${file}.json`);
    operations = {};
    unsyncedBytesMax = 0;
    previousUsage = process.cpuUsage();
  };
  if (isServer) process.on('SIGUSR2', write);
  else process.once('exit', write);
}
