import { Worker as Thread } from 'node:worker_threads';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import { endsWithin } from '../../../../platform/async/deadline.ts';
import { asError } from '../../../../wire/values.ts';
import type { BackupResults, FromThread, BackupProgress, BackupJob, ThreadJob } from './jobs.ts';
import type { Progress } from '../operations/backup.ts';
import { BackupProblem } from '../format/error.ts';

/** Runs backup jobs, each in a separate process. */
export type BackupWorker = {
  /** @throws BackupProblem; Error when the process failed or was ended */
  run<Op extends BackupJob['op']>(
    job: Extract<BackupJob, { op: Op }>,
    tell?: (progress: Progress) => void,
  ): Promise<BackupResults[Op]>;
  /** Ends what runs. What it was making is not there, or left for the next run to take away. */
  close(): Promise<void>;
};

/** Milliseconds without progress after which a job is cancelled: a lost network drive never responds and would block all later jobs. */
export type Patience = { soon: number; long: number };
const PATIENCE: Patience = { soon: 30_000, long: 1_800_000 };
/** Quick jobs that a caller waits for. */
const SOON: ReadonlySet<BackupJob['op']> = new Set(['lock', 'target', 'adopt']);
/** Milliseconds in which a process that was ended ends; one that waits for a disk does not, until that answers. */
const END_MS = 2000;

const folderIn = (job: BackupJob): string => ('folder' in job ? job.folder : job.from);

type Running = { end(): void; ended: Promise<void>; abandon(): void };

export const createBackupWorker = (patience: Patience = PATIENCE): BackupWorker => {
  const running = new Set<Running>();
  let closed = false;

  /** @param hear receives each message; the job rejects with what it throws */
  const start = (job: BackupJob, hear: (message: BackupProgress) => void): Running & { done: Promise<void> } => {
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    const { promise: ended, resolve: hasEnded } = Promise.withResolvers<void>();
    const thread = new Thread(new URL('./process-thread.ts', import.meta.url), {
      workerData: { job } satisfies ThreadJob,
      env: threadEnvironment(),
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const patient = patience[SOON.has(job.op) ? 'soon' : 'long'];
    const silent = (): void => {
      thread.postMessage('end');
      reject(new BackupProblem('unusable', `${folderIn(job)} does not respond. Check whether the disk is connected.`));
    };
    let silence = setTimeout(silent, patient);
    thread.on('message', (message: FromThread) => {
      if (message.type === 'closed') resolve();
      else if (message.type === 'failed') reject(new Error(message.text));
      else {
        clearTimeout(silence);
        silence = setTimeout(silent, patient);
        hear(message.said);
      }
    });
    thread.on('error', (error) => reject(asError(error)));
    thread.once('exit', () => {
      clearTimeout(silence);
      resolve();
      hasEnded();
    });
    return { done, ended, end: () => thread.postMessage('end'), abandon: () => void thread.terminate() };
  };

  return {
    async run<Op extends BackupJob['op']>(
      job: Extract<BackupJob, { op: Op }>,
      tell: (progress: Progress) => void = () => undefined,
    ): Promise<BackupResults[Op]> {
      if (closed) throw new Error('backups are closed');
      let failure: Error = new Error('the process that makes backups ended before it was done');
      let result: { of: BackupResults[Op] } | undefined;
      const one = start(job, (message) => {
        if (message.type === 'progress') tell(message.progress);
        else if (message.type === 'problem') failure = new BackupProblem(message.kind, message.text);
        else if (message.type === 'fault') failure = new Error(message.text);
        // The kind of result follows from the kind of job.
        else if (message.type === 'done') result = { of: message.result as BackupResults[Op] };
      });
      running.add(one);
      void one.ended.then(() => running.delete(one));
      await one.done;
      if (result === undefined) throw failure;
      return result.of;
    },
    async close() {
      closed = true;
      const all = [...running];
      for (const one of all) one.end();
      await endsWithin(END_MS, Promise.all(all.map(({ ended }) => ended)));
      for (const one of running) one.abandon();
    },
  };
};
