import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { fileRecordSchema, ownerFilesSchema, type OwnerFile } from '../server/wire/files.ts';
import { testTimeout } from './support/long-run.ts';
import { ENCRYPTION_HEADERS } from './support/files.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import type { RunningPda } from './support/test-pda.ts';
import {
  killProcesses,
  newHome,
  pause,
  removeFolders,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';

const KILL_ROUNDS = Number(process.env['PDA_KILLS'] ?? 1);
const UPLOADERS = 4;
const FILE_MAX_BYTES = 200_000;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

type FileState = { hash: string; size: number; completed: boolean; deleted: boolean };

/** Sent content and acknowledged state of each file, by id. */
const acknowledgedFiles = new Map<string, FileState>();

const listAllFiles = async (server: RunningPda): Promise<OwnerFile[]> => {
  const storedFiles: OwnerFile[] = [];
  for (const show of ['completed', 'deleted', 'unfinished']) {
    for (;;) {
      const skip = storedFiles.filter(({ file }) => file.status.status === STATUS[show]).length;
      const reply = await server.call('GET', `/api/v2.6/owner/files?show=${show}&sort=added&take=500&skip=${skip}`);
      const page = ownerFilesSchema.parse(reply.json);
      storedFiles.push(...page.files);
      if (page.files.length === 0) break;
    }
  }
  return storedFiles;
};
const STATUS: Record<string, string> = { completed: 'Completed', deleted: 'Deleted', unfinished: 'New' };

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());

describe('files of a killed server', () => {
  it(
    `are complete or absent, and leave no other files (kills: ${KILL_ROUNDS})`,
    { timeout: testTimeout(600_000 + KILL_ROUNDS * 6000) },
    async () => {
      const home = await newHome();

      /** Uploads until the server is killed. Deletes every third file and restores every other one of these. */
      const uploadFiles = async (server: ServerProcess): Promise<void> => {
        for (let number = 0; ; number += 1) {
          const content = randomBytes(1 + Math.floor(Math.random() * FILE_MAX_BYTES));
          const hash = createHash('sha256').update(content).digest('hex');
          const uploadReply = await server.call('POST', '/api/v2.6/files/upload', {
            json: { name: 'x.bin', source: 'load' },
          });
          const { fileId, contentUrl = '' } = fileRecordSchema.parse(uploadReply.json);
          const fileState = { hash, size: content.length, completed: false, deleted: false };
          acknowledgedFiles.set(fileId, fileState);
          await fetch(contentUrl, { method: 'PUT', headers: ENCRYPTION_HEADERS, body: new Uint8Array(content) });
          const completeReply = await server.call('PUT', `/api/v2.6/files/file/${fileId}/complete`);
          if (completeReply.status !== 200) throw new Error(completeReply.text);
          fileState.completed = true;
          if (number % 3 !== 0) continue;
          // Until the response to the deletion arrives, the file may be either complete or deleted.
          fileState.completed = false;
          if ((await server.call('DELETE', `/api/v2.6/files/file/${fileId}`)).status === 200) fileState.deleted = true;
          if (number % 2 !== 0) continue;
          fileState.deleted = false;
          const restoreReply = await server.call('POST', `/api/v2.6/owner/files/file/${fileId}/restore`);
          if (restoreReply.status === 200) fileState.completed = true;
        }
      };

      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        const server = await startServer(home);
        const previousCount = acknowledgedFiles.size;
        let uploadError: unknown;
        const uploaders = Array.from({ length: UPLOADERS }, () =>
          uploadFiles(server).catch((error: unknown) => {
            uploadError ??= error;
          }),
        );
        await until(
          () => uploadError !== undefined || acknowledgedFiles.size > previousCount + 2 * UPLOADERS,
          'some files are uploaded',
        );
        // Checked before the kill, because errors after the kill are expected.
        expect(uploadError).toBeUndefined();
        await pause(Math.random() * 300);
        await server.kill();
        await Promise.all(uploaders);
      }

      const server = await openHome(home);
      // The scan of the watched folder would register leftover files as files that the owner put there.
      await until(async () => {
        const reply = await server.call('GET', '/api/v2.6/owner/files/summary');
        return (reply.json as { watching: boolean }).watching;
      }, 'the folder is watched');
      const files = await listAllFiles(server);
      const byId = new Map(files.map((file) => [file.file.fileId, file]));
      expect(files.filter(({ from }) => from === 'folder')).toEqual([]);
      for (const [fileId, { completed, deleted }] of acknowledgedFiles) {
        if (completed) expect([fileId, byId.get(fileId)?.file.status.status]).toEqual([fileId, 'Completed']);
        if (deleted) expect([fileId, byId.get(fileId)?.file.status.status]).toEqual([fileId, 'Deleted']);
      }
      const completedFiles = files.filter(({ file }) => file.status.status === 'Completed');
      for (const { file } of completedFiles) {
        const response = await fetch(file.contentUrl ?? '');
        const content = Buffer.from(await response.arrayBuffer());
        const fileState = acknowledgedFiles.get(file.fileId);
        expect([response.status, content.length, createHash('sha256').update(content).digest('hex')]).toEqual([
          200,
          fileState?.size,
          fileState?.hash,
        ]);
      }
      const diskPaths = filesBelow(join(home, 'files'));
      expect(diskPaths.toSorted()).toEqual(completedFiles.map(({ path }) => path ?? '').toSorted());
      const undoableFiles = files.filter(({ deleted }) => deleted !== null && deleted.undoUntil !== null);
      expect(readdirSync(join(home, 'removed'))).toHaveLength(undoableFiles.length);
      const waitingUploads = files.filter(({ file, received }) => file.status.status === 'New' && (received ?? 0) > 0);
      expect(readdirSync(join(home, 'uploads')).length).toBeLessThanOrEqual(waitingUploads.length);
      expect(completedFiles.length).toBeGreaterThan(KILL_ROUNDS);
    },
  );
});
