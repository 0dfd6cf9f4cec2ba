import { fork, type ChildProcess } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import { asError } from '../../../../wire/values.ts';
import type { OnProgress, TransferResults, TransferMessage, TransferJob } from './jobs.ts';
import { TransferError } from '../format/error.ts';

const PROCESS_ENTRY = fileURLToPath(new URL('main.ts', import.meta.url));

export type TransferWorker = ReturnType<typeof createTransferWorker>;

/** Runs each job in a separate process, so that no archive can block or crash the server. */
export const createTransferWorker = () => {
  const children = new Set<ChildProcess>();
  let isClosed = false;

  const startProcess = (
    job: TransferJob,
    onProgress: OnProgress,
  ): { child: ChildProcess; resultPromise: Promise<TransferResults[keyof TransferResults]> } => {
    const child = fork(PROCESS_ENTRY, {
      execArgv: [],
      env: threadEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      serialization: 'json',
    });
    children.add(child);
    const resultPromise = new Promise<TransferResults[keyof TransferResults]>((resolve, reject) => {
      let failure: Error = new Error('the transfer process ended before the job was complete');
      let result: TransferResults[keyof TransferResults] | undefined;
      child.on('message', (message: TransferMessage) => {
        if (message.type === 'progress') onProgress(message.done, message.total);
        else if (message.type === 'problem') failure = new TransferError(message.kind, message.text);
        else if (message.type === 'fault') failure = new Error(message.text);
        else ({ result } = message);
      });
      child.once('error', (error) => {
        failure = error;
      });
      // Emitted after `exit`, when all output has been read.
      child.once('close', () => {
        children.delete(child);
        if (result === undefined) reject(failure);
        else resolve(result);
      });
    });
    child.send(job, (error) => {
      if (error !== null) child.kill('SIGKILL');
    });
    return { child, resultPromise };
  };

  const requireOpen = (): void => {
    if (isClosed) throw new Error('the transfer worker is closed');
  };

  return {
    /** @throws TransferError; Error if the process failed or was killed */
    async run<Op extends TransferJob['op']>(
      job: Extract<TransferJob, { op: Op }>,
      onProgress: OnProgress,
    ): Promise<TransferResults[Op]> {
      requireOpen();
      const { child, resultPromise } = startProcess(job, onProgress);
      child.stdout?.resume();
      // The operation of the job determines the type of the result.
      return (await resultPromise) as TransferResults[Op];
    },

    /** Streams an export. If it fails, the stream fails, too. Destroying the stream cancels the export. */
    stream(
      job: Extract<TransferJob, { op: 'export' }>,
      onProgress: OnProgress,
    ): { stream: Readable; ended: Promise<TransferResults['export']> } {
      requireOpen();
      const { child, resultPromise } = startProcess(job, onProgress);
      const { stdout } = child;
      if (stdout === null) throw new Error('the transfer process has no output pipe');
      const stream = new PassThrough();
      stdout.once('error', (error) => stream.destroy(error));
      stdout.pipe(stream, { end: false });
      // The output of a failed export ends, too. The stream then fails, so that the archive does not look complete.
      resultPromise.then(
        () => stream.end(),
        (error: unknown) => stream.destroy(asError(error)),
      );
      stream.once('close', () => {
        // Nothing reads the rest of a destroyed stream, so the export is cancelled.
        if (child.exitCode === null) child.kill('SIGKILL');
      });
      return { stream, ended: resultPromise as Promise<TransferResults['export']> };
    },

    /** Kills running jobs. */
    async close(): Promise<void> {
      isClosed = true;
      const exits = [...children].map((child) => new Promise((resolve) => child.once('close', resolve)));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(exits);
    },
  };
};
