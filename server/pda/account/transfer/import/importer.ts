import {
  closeSync,
  fsyncSync,
  futimesSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder, syncFolders } from '../../../../platform/io/file-system.ts';
import { hashPassword } from '../../../../platform/auth/password.ts';
import { randomBytes } from 'node:crypto';
import { DISK_RESERVE_BYTES } from '../../../../wire/limits.ts';
import type { Manifest } from '../../../../wire/archive.ts';
import type { ArchiveCounts } from '../../../../wire/move.ts';
import { codeOf } from '../../../../wire/values.ts';
import type { RegisterFunctions } from '../../../storage/database.ts';
import { createBuild, type Derived } from './database-store.ts';
import type { Forms, ArchiveRow, Shape } from '../format/row-rules.ts';
import { MADE, MAKING, ABOUT, placesIn } from '../format/paths.ts';
import { archiveErrorText, refuse } from '../format/error.ts';
import { openMoveArchive, readAll, type Sink } from '../format/reader.ts';

/** Summary of an archive. */
export type About = { name: string; program: string; exported: string; counts: ArchiveCounts };

const aboutOf = ({ account, program, created, counts }: Manifest): About => ({
  name: account.name,
  program,
  exported: created,
  counts,
});

const roomIn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return Math.max(0, bavail * bsize - DISK_RESERVE_BYTES);
};

type Tell = (done: number, total: number) => void;

const discard = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
  for await (const piece of pieces) void piece;
};

/** Reads an archive whole and takes nothing of it. @throws MoveProblem */
export const lookAt = async (path: string, parts: { home: string; forms: Forms; tell: Tell }): Promise<About> => {
  try {
    const archive = await openMoveArchive(path, roomIn(parts.home));
    const counted = countingSink();
    await readAll(archive, { ...parts, sink: counted.sink });
    counted.check(archive.manifest.counts);
    return aboutOf(archive.manifest);
  } catch (error) {
    throw archiveErrorText(error);
  }
};

/** What the owner is shown before an import is what was found, not what the archive says of itself. */
const countingSink = () => {
  const rows = new Map<string, number>();
  const sink: Sink = {
    key: () => undefined,
    row: ({ part }) => void rows.set(part, (rows.get(part) ?? 0) + 1),
    content: (...[, , pieces]) => discard(pieces),
  };
  return {
    sink,
    check({ records, applications, contracts, functions, people, access }: ArchiveCounts): void {
      const said = { records, applications, contracts, functions, people, access };
      for (const [part, count] of Object.entries(said))
        if ((rows.get(part) ?? 0) !== count) throw refuse('its manifest does not say what is in it');
    },
  };
};

/** A file is there, or where its folder would be. Some disks do not tell small letters from large ones. */
const TAKEN = new Set(['EEXIST', 'ENOTDIR', 'EISDIR']);

/** Where the bytes of a row lie in a home. */
const placeOf = ({ part }: Shape, row: ArchiveRow): string[] => {
  if (part === 'function-packages')
    return ['functions', String(row['id']).toLowerCase(), String(row['folder']), String(row['module'])];
  if (typeof row['path'] === 'string') return ['files', ...row['path'].split('/')];
  return [typeof row['undo_path'] === 'string' ? 'removed' : 'uploads', String(row['seq'])];
};

/** Never into what is there, and never through a link: all of it is new. @throws MoveProblem damaged */
const newFile = (path: string): number => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (TAKEN.has(codeOf(error))) throw refuse('two of its files have the same place on this disk');
    if (codeOf(error) === 'ENAMETOOLONG') throw refuse('the name of a file in it is too long for this disk');
    throw error;
  }
};

/** Puts bytes in a new file, and says in the row how it looks. */
const writeContent = async (
  folder: string,
  shape: Shape,
  row: ArchiveRow,
  pieces: AsyncIterable<Buffer>,
): Promise<void> => {
  const descriptor = newFile(join(folder, ...placeOf(shape, row)));
  try {
    for await (const piece of pieces)
      for (let done = 0; done < piece.length;) done += writeSync(descriptor, piece, done);
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
 * Makes a whole account of an archive, beside the one that is here: when this returns, the next start puts it in its place. Until then, and whatever ends
 * this, nothing is changed.
 * @throws MoveProblem; then nothing is left of it
 */
export const importArchive = async (
  path: string,
  parts: Derived & { home: string; now: number; forms: Forms; registerFunctions: RegisterFunctions; tell: Tell },
): Promise<About> => {
  const { home, now, forms, registerFunctions, sumUp, derive } = parts;
  const folder = placesIn(home).folder;
  const making = join(folder, MAKING);
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true, mode: 0o700 });
  try {
    const archive = await openMoveArchive(path, roomIn(home));
    const { manifest } = archive;
    const file = join(making, 'pda.sqlite');
    const unusableHash = await hashPassword(randomBytes(32).toString('base64'));
    const build = createBuild(file, { backups: making, forms, unusableHash, registerFunctions, sumUp, derive });
    try {
      await readAll(archive, {
        forms,
        tell: parts.tell,
        sink: {
          key: ({ retired, ...key }) => build.key({ ...key, retired: retired ?? Date.parse(manifest.created) }),
          row: (shape, row) => build.insert(shape, row),
          content: (shape, row, pieces) => writeContent(making, shape, row, pieces),
        },
      });
      build.finish(manifest, now);
    } finally {
      build.close();
    }
    for (const beside of ['-wal', '-shm']) rmSync(file + beside, { force: true });
    for (const name of ['files', 'removed', 'uploads', 'functions'])
      mkdirSync(join(making, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(making, ABOUT), JSON.stringify({ accountId: manifest.account.id }), { flush: true });
    syncFolders(making);
    rmSync(join(folder, MADE), { recursive: true, force: true });
    renameSync(making, join(folder, MADE));
    syncFolder(folder);
    return aboutOf(manifest);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw archiveErrorText(error);
  }
};

export const isMade = (home: string): boolean =>
  lstatSync(join(placesIn(home).folder, MADE), { throwIfNoEntry: false }) !== undefined;
