import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { newFolder, removeFolders } from '../../../../../tests/support/server-process.ts';
import { startTestPda } from '../../../../../tests/support/test-pda.ts';
import { createTransferWorker } from './client.ts';

afterAll(removeFolders);

const exportJob = (home: string, to?: string) => ({
  op: 'export' as const,
  home,
  snapshotPath: join(home, 'backups', 'export-test.sqlite'),
  program: '0.0.0',
  now: Date.now(),
  to,
});

it('the stream of a failed export fails, so that a download does not look complete', async () => {
  const worker = createTransferWorker();
  const { stream, ended } = worker.stream(exportJob(newFolder()), () => undefined);
  const outcomes = await Promise.allSettled([buffer(stream), ended]);
  expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
  await worker.close();
});

it('the stream of an export ends after the complete archive', async () => {
  const pda = await startTestPda();
  const worker = createTransferWorker();
  const { stream, ended } = worker.stream(exportJob(pda.home), () => undefined);
  const [archive, { bytes }] = await Promise.all([buffer(stream), ended]);
  expect(archive).toHaveLength(bytes);
  await worker.close();
  await pda.close();
});

it('an export to a file is refused with a reason if its folder does not exist, and never replaces a file', async () => {
  const pda = await startTestPda();
  const worker = createTransferWorker();
  const folder = newFolder();
  await expect(worker.run(exportJob(pda.home, join(folder, 'missing', 'a.zip')), () => undefined)).rejects.toThrow(
    /or its folder does not exist/u,
  );
  const to = join(folder, 'a.zip');
  const { bytes } = await worker.run(exportJob(pda.home, to), () => undefined);
  expect([readdirSync(folder), bytes > 0]).toStrictEqual([['a.zip'], true]);
  await expect(worker.run(exportJob(pda.home, to), () => undefined)).rejects.toThrow(/already exists/u);
  expect(existsSync(to)).toBe(true);
  await worker.close();
  await pda.close();
});
