import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeWhenComplete } from '../../../../platform/io/file-system.ts';
import type { RegisterFunctions } from '../../../storage/database.ts';
import type { DerivedData } from '../import/database-store.ts';
import { exportAccount, type ExportResult } from '../export/writer.ts';
import { importArchive, inspectArchive } from '../import/importer.ts';
import type { OnProgress, TransferResults, TransferMessage, TransferJob } from './jobs.ts';
import type { Codecs } from '../format/row-rules.ts';
import { toTransferError, TransferError } from '../format/error.ts';

export type TransferTools = DerivedData & { codecs: Codecs; registerFunctions: RegisterFunctions };

const PROGRESS_INTERVAL_MS = 250;

/** Resolves when standard output accepts more data. */
const writeToOutput = async (bytes: Buffer): Promise<void> => {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
};

const exportTo = async (
  job: Extract<TransferJob, { op: 'export' }>,
  parts: { codecs: Codecs; onProgress: OnProgress },
): Promise<ExportResult> => {
  const { to } = job;
  if (to === undefined) {
    const result = await exportAccount({ ...job, ...parts, write: writeToOutput });
    await new Promise<void>((resolve) => process.stdout.end(() => resolve()));
    return result;
  }
  if (existsSync(to)) throw new TransferError('wrong_state', `${to} already exists. Choose another name.`);
  try {
    // `writeFile` continues at the end of the previous write.
    return await writeWhenComplete(to, (file) =>
      exportAccount({ ...job, ...parts, write: (bytes) => file.writeFile(bytes) }),
    );
  } catch (error) {
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
