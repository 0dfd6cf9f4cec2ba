import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileRecordSchema, ownerFilesSchema } from '../server/wire/files.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { Callable } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { killProcesses, newHome, removeFolders, startServer, until } from './support/server-process.ts';

const FILE_COUNT = 300;
const FOLDER_COUNT = 10;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

const countFiles = async (server: Callable): Promise<number> =>
  ownerFilesSchema.parse((await server.call('GET', '/api/v2.6/owner/files?take=1')).json).total;

describe('a server whose watched folder is filled by another program', () => {
  it('registers every file once after it is killed while registering them', async () => {
    const home = await newHome();
    const files = join(home, 'files');
    for (let folder = 0; folder < FOLDER_COUNT; folder += 1) mkdirSync(join(files, `f${folder}`), { recursive: true });
    const server = await startServer(home);
    for (let n = 0; n < FILE_COUNT; n += 1) writeFileSync(join(files, `f${n % FOLDER_COUNT}`, `${n}.txt`), `file ${n}`);
    await until(async () => (await countFiles(server)) > 0, 'the first files are registered');
    await server.kill();
    unlinkSync(join(files, 'f0', '0.txt'));
    const restarted = await openHome(home);
    const readCompletedFiles = async () => {
      const json = { status: { status: 'Completed' } };
      const reply = await restarted.call('POST', '/api/v2.6/files/search?take=10000', { json });
      return z.array(fileRecordSchema).parse(reply.json);
    };
    const nameOf = ({ source, name }: { source: string; name: string }): string => `${source}/${name}`;
    // It is unknown whether the removed file was registered before the kill. If it was, it is marked as removed
    // after the start.
    const remaining = Array.from(
      { length: FILE_COUNT - 1 },
      (_, n) => `f${(n + 1) % FOLDER_COUNT}/${n + 1}.txt`,
    ).toSorted();
    const registered = await until(async () => {
      const files = (await readCompletedFiles()).filter((file) => nameOf(file) !== 'f0/0.txt');
      return files.length >= remaining.length && files;
    }, 'all files are registered');
    expect(registered.map(nameOf).toSorted()).toStrictEqual(remaining);
    expect(new Set(registered.map((file) => file.fileId)).size).toBe(registered.length);
    await restarted.close();
    expect(findInconsistencies(home)).toEqual([]);
  });
});
