import { mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileRecordSchema, ownerFilesSchema } from '../server/wire/files.ts';
import { fileMoveResultSchema } from '../server/wire/bulk-files.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { killProcesses, newHome, pause, removeFolders, startServer, until } from './support/server-process.ts';

const FILE_COUNT = 300;
const FOLDER_COUNT = 10;
const MOVED_FILE_COUNT = 100;
const KILL_ROUNDS = Number(process.env['PDA_KILLS'] ?? 1);
/** Maximum delay between the first move and the kill. */
const KILL_AFTER_MAX_MS = 300;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

const countFiles = async (server: OwnerClient): Promise<number> =>
  ownerFilesSchema.parse((await server.call('GET', '/api/v2.6/owner/files?take=1')).json).total;

describe('a watched folder filled by another program', { timeout: testTimeout(600_000) }, () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'has every file registered once after the server was killed while registering them',
    async () => {
      const home = await newHome();
      const filesFolder = join(home, 'files');
      for (let folder = 0; folder < FOLDER_COUNT; folder += 1)
        mkdirSync(join(filesFolder, `f${folder}`), { recursive: true });
      const server = await startServer(home);
      for (let n = 0; n < FILE_COUNT; n += 1)
        writeFileSync(join(filesFolder, `f${n % FOLDER_COUNT}`, `${n}.txt`), `file ${n}`);
      await until(async () => (await countFiles(server)) > 0, 'the first files are registered');
      await server.kill();
      unlinkSync(join(filesFolder, 'f0', '0.txt'));
      const restartedServer = await openHome(home);
      const readCompletedFiles = async () => {
        const json = { status: { status: 'Completed' } };
        const reply = await restartedServer.call('POST', '/api/v2.6/files/search?take=10000', { json });
        return z.array(fileRecordSchema).parse(reply.json);
      };
      const pathOf = ({ source, name }: { source: string; name: string }): string => `${source}/${name}`;
      // It is unknown whether the removed file was registered before the kill. If it was, it is marked as deleted
      // after the start.
      const remainingPaths = Array.from(
        { length: FILE_COUNT - 1 },
        (_, n) => `f${(n + 1) % FOLDER_COUNT}/${n + 1}.txt`,
      ).toSorted();
      const registeredFiles = await until(async () => {
        const files = (await readCompletedFiles()).filter((file) => pathOf(file) !== 'f0/0.txt');
        return files.length >= remainingPaths.length && files;
      }, 'all files are registered');
      expect(registeredFiles.map(pathOf).toSorted()).toStrictEqual(remainingPaths);
      expect(new Set(registeredFiles.map((file) => file.fileId)).size).toBe(registeredFiles.length);
      await restartedServer.close();
      expect(findInconsistencies(home)).toEqual([]);
    },
  );
});

describe('a server killed while moving files', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    `keeps each file once, with its id and content (kills: ${KILL_ROUNDS})`,
    { timeout: testTimeout(30_000 + KILL_ROUNDS * 6000) },
    async () => {
      const home = await newHome();
      const root = join(home, 'files');
      mkdirSync(join(root, 'start'), { recursive: true });
      for (let n = 0; n < MOVED_FILE_COUNT; n += 1) writeFileSync(join(root, 'start', `${n}.txt`), `file ${n}`);
      const listFiles = async (server: OwnerClient) =>
        ownerFilesSchema.parse((await server.call('GET', '/api/v2.6/owner/files?take=500')).json).files;
      let contents = new Map<string, string>();
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        const server = await startServer(home);
        const files = await until(async () => {
          const list = await listFiles(server);
          return list.length === MOVED_FILE_COUNT && list;
        }, 'all files are registered');
        if (round === 0)
          contents = new Map(
            files.map(({ file, path }) => [file.fileId, readFileSync(join(root, path ?? ''), 'utf8')]),
          );
        const fileIds = [...contents.keys()];
        const moveUntilKilled = async (): Promise<void> => {
          for (let target = 0; ; target += 1) {
            const moves = [{ folder: `round ${round}/${target}`, fileIds }];
            const reply = await server.call('POST', '/api/v2.6/owner/files/move', { json: { moves } });
            expect(fileMoveResultSchema.parse(reply.json).refused).toEqual([]);
          }
        };
        let moveError: unknown;
        const movesEnded = moveUntilKilled().catch((error: unknown) => (moveError = error));
        await until(
          () => moveError !== undefined || readdirSync(root).includes(`round ${round}`),
          'the first files are moved',
        );
        await pause(Math.random() * KILL_AFTER_MAX_MS);
        // Checked before the kill, because errors after the kill are expected.
        expect(moveError).toBeUndefined();
        await server.kill();
        await movesEnded;
      }
      const restartedServer = await openHome(home);
      await until(async () => {
        const reply = await restartedServer.call('GET', '/api/v2.6/owner/files/summary');
        return (reply.json as { watching: boolean }).watching;
      }, 'the folder is scanned');
      const files = await listFiles(restartedServer);
      const storedContents = files.map(
        ({ file, path }) => [file.fileId, readFileSync(join(root, path ?? ''), 'utf8')] as const,
      );
      expect(new Map(storedContents)).toEqual(contents);
      const diskPaths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
        statSync(join(root, path)).isFile(),
      );
      expect(diskPaths.toSorted()).toEqual(files.map(({ path }) => path ?? '').toSorted());
      expect(diskPaths).toHaveLength(MOVED_FILE_COUNT);
      await restartedServer.close();
      expect(findInconsistencies(home)).toEqual([]);
    },
  );
});
