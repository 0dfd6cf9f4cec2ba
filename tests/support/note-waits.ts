import fs from 'node:fs';
import { ChildProcess } from 'node:child_process';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a program, records blocking waits of the main thread for disks or processes: in `PDA_WAITS`, one file per
 * process, written at its end, and for a server at each SIGUSR2, which resets the record.
 */

export type Waits = {
  server: boolean;
  /** What was waited for, and how often. */
  waits: Record<string, number>;
  /** The most bytes written to one file before an fsync; 0 for files without fsync. */
  mostBytes: number;
  /** Microseconds of the processor. */
  cpu: number;
};

const folder = process.env['PDA_WAITS'];
if (isMainThread && folder !== undefined) {
  const isServer = process.argv.includes('serve');
  let waits: Record<string, number> = {};
  const bytes = new Map<unknown, number>();
  let mostBytes = 0;
  let cpu = process.cpuUsage();
  const note = (what: string): void => {
    waits[what] = (waits[what] ?? 0) + 1;
  };
  const wrap = (of: object, name: string, before: (args: unknown[]) => void): void => {
    const real: unknown = Reflect.get(of, name);
    if (typeof real !== 'function') throw new Error(`there is no ${name}`);
    Reflect.set(of, name, function (this: unknown, ...args: unknown[]): unknown {
      before(args);
      return Reflect.apply(real, this, args);
    });
  };
  const synced =
    (name: string) =>
    ([descriptor]: unknown[]): void => {
      note(name);
      mostBytes = Math.max(mostBytes, bytes.get(descriptor) ?? 0);
      bytes.delete(descriptor);
    };
  wrap(fs, 'closeSync', ([descriptor]) => void bytes.delete(descriptor));
  for (const name of ['fsyncSync', 'fdatasyncSync']) wrap(fs, name, synced(name));
  for (const name of ['renameSync', 'rmSync', 'copyFileSync', 'cpSync']) wrap(fs, name, () => note(name));
  wrap(fs, 'writeSync', (args) => {
    const [descriptor, content, , length] = args;
    // What it says on its own channels is no file.
    if (Number(descriptor) <= 2) return;
    note('writeSync');
    const more = typeof length === 'number' ? length : Buffer.isBuffer(content) ? content.length : 0;
    bytes.set(descriptor, (bytes.get(descriptor) ?? 0) + more);
  });
  syncBuiltinESMExports();
  wrap(ChildProcess.prototype, 'spawn', () => note('spawn'));
  const Sqlite: unknown = createRequire(import.meta.url)('better-sqlite3');
  if (typeof Sqlite !== 'function') throw new Error('there is no SQLite');
  wrap(Sqlite.prototype as object, 'pragma', ([text]) => {
    if (String(text).includes('checkpoint')) note('checkpoint');
  });

  const { writeFileSync, renameSync } = fs;
  const write = (): void => {
    const used = process.cpuUsage(cpu);
    const found: Waits = {
      server: isServer,
      waits,
      mostBytes,
      cpu: used.user + used.system,
    };
    const file = `${folder}/${process.pid}`;
    writeFileSync(`${file}.new`, JSON.stringify(found));
    renameSync(`${file}.new`, `${file}.json`);
    waits = {};
    mostBytes = 0;
    cpu = process.cpuUsage();
  };
  if (isServer) process.on('SIGUSR2', write);
  else process.once('exit', write);
}
