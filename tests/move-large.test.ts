import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, expect, it } from 'vitest';
import { ownerFilesSchema } from '../server/wire/files.ts';
import { measurePeakMegabytes } from './support/move.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { newFolder, newHome, removeFolders, until } from './support/server-process.ts';

/** Size of one file of the account in bytes, above the limit of a ZIP without ZIP64. If 0, the test is skipped. */
const FILE_BYTES = Number(process.env['PDA_MOVE_BYTES'] ?? 0);
/** Maximum memory of a process in megabytes, however large a file is. */
const MEMORY_MAX_MB = 300;
const CHUNK_BYTES = 2 ** 20;

afterAll(async () => {
  await closeHomes();
  removeFolders();
});

/** Generates incompressible bytes. */
async function* randomChunks(total: number): AsyncGenerator<Buffer> {
  const cipher = createCipheriv('aes-256-ctr', randomBytes(32), Buffer.alloc(16));
  const zeros = Buffer.alloc(CHUNK_BYTES);
  for (let remaining = total; remaining > 0; remaining -= CHUNK_BYTES)
    yield cipher.update(remaining < CHUNK_BYTES ? zeros.subarray(0, remaining) : zeros);
}

const hashOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};

const filesOf = async (home: string): Promise<{ name: string; size: number | undefined }[]> => {
  const server = await openHome(home);
  const listFiles = async () =>
    ownerFilesSchema.parse((await server.call('GET', '/api/v2.6/owner/files?take=10')).json);
  await until(async () => (await listFiles()).total === 2, 'both files are registered', 600_000);
  const { files } = await listFiles();
  await server.close();
  return files
    .map(({ file: { name, status } }) => ({ name, size: status.size }))
    .toSorted((a, b) => (a.size ?? 0) - (b.size ?? 0));
};

it.skipIf(FILE_BYTES === 0)('a move of an account with a multi-gigabyte file uses little memory', async () => {
  const home = await newHome();
  mkdirSync(join(home, 'files'), { recursive: true });
  const film = join(home, 'files', 'film.bin');
  await pipeline(randomChunks(FILE_BYTES), createWriteStream(film));
  // A file after the film in the archive has an offset that needs ZIP64 too.
  await pipeline(randomChunks(1000), createWriteStream(join(home, 'files', 'note.bin')));
  const originalHashes = [await hashOf(film), await hashOf(join(home, 'files', 'note.bin'))];
  const files = await filesOf(home);
  expect(files).toStrictEqual([
    { name: 'note.bin', size: 1000 },
    { name: 'film.bin', size: FILE_BYTES },
  ]);

  const archive = join(newFolder(), 'account.zip');
  expect(await measurePeakMegabytes({ op: 'export', home, archive })).toBeLessThan(MEMORY_MAX_MB);
  expect(statSync(archive).size).toBeGreaterThan(FILE_BYTES);
  rmSync(home, { recursive: true });
  const otherHome = await newHome();
  expect(await measurePeakMegabytes({ op: 'import', home: otherHome, archive })).toBeLessThan(MEMORY_MAX_MB);
  expect(await filesOf(otherHome)).toStrictEqual(files);
  const movedHashes = ['film.bin', 'note.bin'].map((name) => hashOf(join(otherHome, 'files', name)));
  expect(await Promise.all(movedHashes)).toStrictEqual(originalHashes);
});
