import { fork, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import { asError } from '../../../../wire/values.ts';
import type { TransferResults, TransferProgress, TransferJob } from './jobs.ts';
import { MoveProblem } from '../format/error.ts';

type Tell = (done: number, total: number) => void;

/** Runs one job in a separate process, so that an archive cannot affect the server. */
export type TransferWorker = {
  /** @throws MoveProblem; Error when the process failed or was ended */
  run<Op extends TransferJob['op']>(job: Extract<TransferJob, { op: Op }>, tell?: Tell): Promise<TransferResults[Op]>;
  /** The same, and what it writes as it is made. Destroy the stream to end it. */
  stream(
    job: Extract<TransferJob, { op: 'export' }>,
    tell?: Tell,
  ): { stream: Readable; ended: Promise<TransferResults['export']> };
  /** Ends what runs. */
  close(): Promise<void>;
};

const PROCESS_ENTRY = fileURLToPath(new URL('main.ts', import.meta.url));

export const createTransferWorker = (): TransferWorker => {
  const running = new Set<ChildProcess>();
  let closed = false;

  const launch = (
    job: TransferJob,
    tell: Tell,
  ): { child: ChildProcess; ended: Promise<TransferResults[keyof TransferResults]> } => {
    const child = fork(PROCESS_ENTRY, {
      execArgv: [],
      env: threadEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      serialization: 'json',
    });
    running.add(child);
    const ended = new Promise<TransferResults[keyof TransferResults]>((resolve, reject) => {
      let failure: Error = new Error('the process that moves accounts ended before it was done');
      let result: TransferResults[keyof TransferResults] | undefined;
      child.on('message', (message: TransferProgress) => {
        if (message.type === 'progress') tell(message.done, message.total);
        else if (message.type === 'problem') failure = new MoveProblem(message.kind, message.text);
        else if (message.type === 'fault') failure = new Error(message.text);
        else ({ result } = message);
      });
      child.once('error', (error) => {
        failure = error;
      });
      child.once('exit', () => {
        running.delete(child);
        if (result === undefined) reject(failure);
        else resolve(result);
      });
    });
    child.send(job, (error) => {
      if (error !== null) child.kill('SIGKILL');
    });
    return { child, ended };
  };

  const refuseClosed = (): void => {
    if (closed) throw new Error('moves are closed');
  };

  return {
    async run<Op extends TransferJob['op']>(
      job: Extract<TransferJob, { op: Op }>,
      tell: Tell = () => undefined,
    ): Promise<TransferResults[Op]> {
      refuseClosed();
      const { child, ended } = launch(job, tell);
      child.stdout?.resume();
      // The kind of result follows from the kind of job.
      return (await ended) as TransferResults[Op];
    },

    stream(job, tell = () => undefined) {
      refuseClosed();
      const { child, ended } = launch(job, tell);
      const { stdout } = child;
      if (stdout === null) throw new Error('the pipe is missing');
      stdout.once('close', () => {
        // The reader of the export has disconnected.
        if (child.exitCode === null && !stdout.readableEnded) child.kill('SIGKILL');
      });
      ended.catch((error: unknown) => stdout.destroy(asError(error)));
      return { stream: stdout, ended: ended as Promise<TransferResults['export']> };
    },

    async close() {
      closed = true;
      const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(ends);
    },
  };
};
