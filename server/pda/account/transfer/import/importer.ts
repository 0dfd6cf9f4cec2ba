import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  futimesSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder, syncFolderTree } from '../../../../platform/io/file-system.ts';
import { hashPassword } from '../../../../platform/auth/password.ts';
import { DISK_RESERVE_BYTES } from '../../../../wire/limits.ts';
import type { Manifest } from '../../../../wire/archive.ts';
import type { ArchiveCounts } from '../../../../wire/move.ts';
import { codeOf } from '../../../../wire/values.ts';
import type { RegisterFunctions } from '../../../storage/database.ts';
import { createDatabaseBuilder, type DerivedData } from './database-store.ts';
import type { Codecs, ArchiveRow, TableShape } from '../format/row-rules.ts';
import { ACCOUNT_ID_FILE, COMPLETE_IMPORT, INCOMPLETE_IMPORT, transferPaths } from '../format/paths.ts';
import { toTransferError, invalidArchive } from '../format/error.ts';
import { openTransferArchive, readArchive, type ArchiveSink } from '../format/reader.ts';
import type { OnProgress } from '../worker/jobs.ts';

export type ArchiveSummary = { name: string; program: string; exported: string; counts: ArchiveCounts };

const summaryOf = ({ account, program, created, counts }: Manifest): ArchiveSummary => ({
  name: account.name,
  program,
  exported: created,
  counts,
});

const freeBytesOf = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return Math.max(0, bavail * bsize - DISK_RESERVE_BYTES);
};

const discard = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
  for await (const chunk of chunks) void chunk;
};

/** Verifies a whole archive without importing it. @throws TransferError, or another error of the file system */
export const inspectArchive = async (
  path: string,
  parts: { home: string; codecs: Codecs; onProgress: OnProgress },
): Promise<ArchiveSummary> => {
  try {
    const archive = await openTransferArchive(path, freeBytesOf(parts.home));
    const counter = createCountingSink();
    await readArchive(archive, { ...parts, sink: counter.sink });
    counter.check(archive.manifest.counts);
    return summaryOf(archive.manifest);
  } catch (error) {
    throw toTransferError(error);
  }
};

/** Counts the rows of each part. `check` compares those of six parts with the counts in the manifest. */
const createCountingSink = () => {
  const rows = new Map<string, number>();
  const sink: ArchiveSink = {
    key: () => undefined,
    row: ({ part }) => void rows.set(part, (rows.get(part) ?? 0) + 1),
    content: (...[, , chunks]) => discard(chunks),
  };
  return {
    sink,
    check({ records, applications, contracts, functions, people, access }: ArchiveCounts): void {
      const declaredCounts = { records, applications, contracts, functions, people, access };
      for (const [part, count] of Object.entries(declaredCounts))
        if ((rows.get(part) ?? 0) !== count) throw invalidArchive('the counts in its manifest are wrong');
    },
  };
};

/** Error codes for a path that exists or conflicts with another path, for example on a case-insensitive file system. */
const PATH_CONFLICT_CODES = new Set(['EEXIST', 'ENOTDIR', 'EISDIR']);

const contentPathOf = ({ part }: TableShape, row: ArchiveRow): string[] => {
  if (part === 'function-packages')
    return ['functions', String(row['id']).toLowerCase(), String(row['folder']), String(row['module'])];
  if (typeof row['path'] === 'string') return ['files', ...row['path'].split('/')];
  return [typeof row['undo_path'] === 'string' ? 'removed' : 'uploads', String(row['seq'])];
};

/** Creates a file. Neither overwrites a file nor follows a link. @throws TransferError damaged */
const createFile = (path: string): number => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (PATH_CONFLICT_CODES.has(codeOf(error)))
      throw invalidArchive('two of its files have the same path on this disk');
    if (codeOf(error) === 'ENAMETOOLONG') throw invalidArchive('the name of a file is too long for this disk');
    throw error;
  }
};

/** Writes the content of a file or package. Sets the modification time and the inode in the row of a file. */
const writeContent = async (
  folder: string,
  shape: TableShape,
  row: ArchiveRow,
  chunks: AsyncIterable<Buffer>,
): Promise<void> => {
  const descriptor = createFile(join(folder, ...contentPathOf(shape, row)));
  try {
    for await (const chunk of chunks)
      for (let written = 0; written < chunk.length;) written += writeSync(descriptor, chunk, written);
    const modified = Number(row['modified'] ?? Number.NaN) / 1e9;
    if (Number.isFinite(modified) && modified > 0) futimesSync(descriptor, modified, modified);
    fsyncSync(descriptor);
    if (shape.part !== 'files') return;
    const { dev, ino, mtimeNs } = fstatSync(descriptor, { bigint: true });
    Object.assign(row, { modified: String(mtimeNs), inode: `${dev}:${ino}` });
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Builds an account from an archive, in a separate folder. The current account stays unchanged until the next start
 * activates the import. Deletes the incomplete import on failure.
 * @throws TransferError, or another error of SQLite or the file system
 */
export const importArchive = async (
  path: string,
  parts: DerivedData & {
    home: string;
    now: number;
    codecs: Codecs;
    registerFunctions: RegisterFunctions;
    onProgress: OnProgress;
  },
): Promise<ArchiveSummary> => {
  const { home, now, codecs } = parts;
  const { folder } = transferPaths(home);
  const incompleteImport = join(folder, INCOMPLETE_IMPORT);
  rmSync(incompleteImport, { recursive: true, force: true });
  mkdirSync(incompleteImport, { recursive: true, mode: 0o700 });
  try {
    const archive = await openTransferArchive(path, freeBytesOf(home));
    const { manifest } = archive;
    const file = join(incompleteImport, 'pda.sqlite');
    const unusableHash = await hashPassword(randomBytes(32).toString('base64'));
    const builder = createDatabaseBuilder(file, { ...parts, backups: incompleteImport, unusableHash });
    try {
      await readArchive(archive, {
        codecs,
        onProgress: parts.onProgress,
        sink: {
          key: ({ retired, ...key }) => builder.insertKey({ ...key, retired: retired ?? Date.parse(manifest.created) }),
          row: (shape, row) => builder.insert(shape, row),
          content: (shape, row, chunks) => writeContent(incompleteImport, shape, row, chunks),
        },
      });
      builder.finish(manifest, now);
    } finally {
      builder.close();
    }
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    for (const name of ['files', 'removed', 'uploads', 'functions'])
      mkdirSync(join(incompleteImport, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(incompleteImport, ACCOUNT_ID_FILE), JSON.stringify({ accountId: manifest.account.id }), {
      flush: true,
    });
    syncFolderTree(incompleteImport);
    rmSync(join(folder, COMPLETE_IMPORT), { recursive: true, force: true });
    renameSync(incompleteImport, join(folder, COMPLETE_IMPORT));
    syncFolder(folder);
    return summaryOf(manifest);
  } catch (error) {
    rmSync(incompleteImport, { recursive: true, force: true });
    throw toTransferError(error);
  }
};
