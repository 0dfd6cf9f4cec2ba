import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import type { RegisterFunctions } from '../../../storage/database.ts';
import type { DerivedData } from '../import/database-store.ts';
import { exportAccount } from '../export/writer.ts';
import { importArchive, inspectArchive } from '../import/importer.ts';
import type { OnProgress, TransferResults, TransferMessage, TransferJob } from './jobs.ts';
import type { Codecs } from '../format/row-rules.ts';
import { toTransferError, TransferError } from '../format/error.ts';

export type TransferTools = DerivedData & { codecs: Codecs; registerFunctions: RegisterFunctions };

const PROGRESS_INTERVAL_MS = 250;

/** Returns a function that writes bytes and resolves when the stream accepts more data. */
const createWrite =
  (output: Writable) =>
  async (bytes: Buffer): Promise<void> => {
    if (!output.write(bytes)) await once(output, 'drain');
  };

const exportTo = async (
  job: Extract<TransferJob, { op: 'export' }>,
  parts: { codecs: Codecs; onProgress: OnProgress },
) => {
  const { to } = job;
  if (to === undefined) {
    const result = await exportAccount({ ...job, ...parts, write: createWrite(process.stdout) });
    await new Promise<void>((resolve) => process.stdout.end(() => resolve()));
    return result;
  }
  if (existsSync(to)) throw new TransferError('wrong_state', `${to} already exists. Choose another name.`);
  // Renamed when complete, so that an interrupted export is not mistaken for an archive.
  const unfinishedFile = `${to}.unfinished`;
  // Deletes a previous unfinished export. `wx` then refuses a file or link that was created in the meantime.
  rmSync(unfinishedFile, { force: true });
  const output = createWriteStream(unfinishedFile, { flags: 'wx', mode: 0o600, flush: true });
  try {
    const result = await exportAccount({ ...job, ...parts, write: createWrite(output) });
    output.end();
    await finished(output);
    renameSync(unfinishedFile, to);
    return result;
  } catch (error) {
    output.destroy();
    rmSync(unfinishedFile, { force: true });
    throw toTransferError(error);
  }
};

const runJob = (
  job: TransferJob,
  tools: TransferTools,
  onProgress: OnProgress,
): Promise<TransferResults[keyof TransferResults]> => {
  const parts = { ...tools, onProgress };
  switch (job.op) {
    case 'export':
      return exportTo(job, parts);
    case 'inspect':
      return inspectArchive(job.path, { ...parts, home: job.home });
    case 'import':
      return importArchive(job.path, { ...parts, home: job.home, now: job.now });
  }
};

export const serveTransferJob = (tools: TransferTools): void => {
  let lastProgressAt = 0;
  const onProgress: OnProgress = (done, total) => {
    if (performance.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return;
    lastProgressAt = performance.now();
    process.send?.({ type: 'progress', done, total } satisfies TransferMessage);
  };
  const sendResult = (message: TransferMessage): void => void process.send?.(message, () => process.disconnect());
  process.once('disconnect', () => process.exit());
  process.once('message', (job: TransferJob) => {
    Promise.resolve()
      .then(() => runJob(job, tools, onProgress))
      .then((result) => sendResult({ type: 'done', result }))
      .catch((error: unknown) => {
        const problem = toTransferError(error);
        if (problem instanceof TransferError)
          sendResult({ type: 'problem', kind: problem.kind, text: problem.message });
        else
          sendResult({ type: 'fault', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      });
  });
};
