import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import type { RegisterFunctions } from '../../../storage/database.ts';
import type { DerivedData } from '../import/database-store.ts';
import { exportAccount } from '../export/writer.ts';
import { importArchive, inspectArchive } from '../import/importer.ts';
import type { TransferResults, TransferProgress, TransferJob } from './jobs.ts';
import type { Codecs } from '../format/row-rules.ts';
import { toTransferError, TransferError } from '../format/error.ts';

/** Functions of other modules that transfers need. */
export type TransferTools = DerivedData & { codecs: Codecs; registerFunctions: RegisterFunctions };

const PROGRESS_INTERVAL_MS = 250;

const send = (message: TransferProgress): void => void process.send?.(message);

/** Returns a write function with back-pressure: it resolves when the stream accepts more data. */
const writerTo =
  (out: Writable) =>
  async (bytes: Buffer): Promise<void> => {
    if (!out.write(bytes)) await once(out, 'drain');
  };

const exportTo = async (
  job: Extract<TransferJob, { op: 'export' }>,
  parts: { codecs: Codecs; onProgress: OnProgress },
) => {
  const { to } = job;
  if (to === undefined) {
    const result = await exportAccount({ ...job, ...parts, write: writerTo(process.stdout) });
    await new Promise<void>((resolve) => process.stdout.end(() => resolve()));
    return result;
  }
  if (existsSync(to)) throw new TransferError('wrong_state', `${to} already exists. Choose another name.`);
  // Renamed when it is complete, so that an interrupted export is not mistaken for an archive.
  const unfinished = `${to}.unfinished`;
  // Removes an unfinished export. The `wx` flag then fails on a link or another user's file instead of writing to it.
  rmSync(unfinished, { force: true });
  const out = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  try {
    const result = await exportAccount({ ...job, ...parts, write: writerTo(out) });
    out.end();
    await finished(out);
    renameSync(unfinished, to);
    return result;
  } catch (error) {
    out.destroy();
    rmSync(unfinished, { force: true });
    throw toTransferError(error);
  }
};

type OnProgress = (done: number, total: number) => void;

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

/** Runs one job for the parent process, then exits. */
export const serveTransferJob = (tools: TransferTools): void => {
  let lastProgressAt = 0;
  const onProgress: OnProgress = (done, total) => {
    if (performance.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return;
    lastProgressAt = performance.now();
    send({ type: 'progress', done, total });
  };
  const sendResult = (message: TransferProgress): void => void process.send?.(message, () => process.disconnect());
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
