import { Worker as Thread } from 'node:worker_threads';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import { endsWithin } from '../../../../platform/async/deadline.ts';
import { asError } from '../../../../wire/values.ts';
import { QUICK_JOBS, type BackupResults, type ThreadMessage, type BackupMessage, type BackupJob } from './jobs.ts';
import type { BackupProgress } from '../operations/backup.ts';
import { BackupProblem } from '../format/error.ts';

/**
 * Milliseconds without a message after which a job is killed, because a disconnected network drive may never respond.
 */
type JobTimeouts = { quick: number; long: number };
const JOB_TIMEOUTS_MS: JobTimeouts = { quick: 30_000, long: 1_800_000 };
/** Time limit for the exit of killed processes. A process that waits for a disk exits only when the disk responds. */
const KILL_WAIT_MS = 2000;

const folderOf = (job: BackupJob): string => ('folder' in job ? job.folder : job.from);

type RunningJob = { kill(): void; ended: Promise<void>; abandon(): void };

export type BackupWorker = ReturnType<typeof createBackupWorker>;

/** Creates a worker that runs each job in a separate process. */
export const createBackupWorker = (timeouts: JobTimeouts = JOB_TIMEOUTS_MS) => {
  const runningJobs = new Set<RunningJob>();
  let isClosed = false;

  const start = (job: BackupJob, onMessage: (message: BackupMessage) => void): RunningJob & { done: Promise<void> } => {
    const { promise: done, resolve, reject } = Promise.withResolvers<void>();
    const { promise: ended, resolve: markEnded } = Promise.withResolvers<void>();
    const thread = new Thread(new URL('./process-thread.ts', import.meta.url), {
      workerData: job,
      env: threadEnvironment(),
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const timeoutMs = timeouts[QUICK_JOBS.has(job.op) ? 'quick' : 'long'];
    const onTimeout = (): void => {
      thread.postMessage('kill');
      reject(new BackupProblem('unusable', `${folderOf(job)} does not respond. Check whether the disk is connected.`));
    };
    // Starting the process can take a long time on a slow machine but does not access the folder, so the long timeout
    // applies until the first message.
    let timer = setTimeout(onTimeout, timeouts.long);
    thread.on('message', (message: ThreadMessage) => {
      if (message.type === 'closed') resolve();
      else if (message.type === 'failed') reject(new Error(message.text));
      else {
        clearTimeout(timer);
        timer = setTimeout(onTimeout, timeoutMs);
        onMessage(message.message);
      }
    });
    thread.on('error', (error) => reject(asError(error)));
    thread.once('exit', () => {
      clearTimeout(timer);
      resolve();
      markEnded();
    });
    return { done, ended, kill: () => thread.postMessage('kill'), abandon: () => void thread.terminate() };
  };

  return {
    /** @throws BackupProblem; Error if the process failed or was killed */
    async run<Op extends BackupJob['op']>(
      job: Extract<BackupJob, { op: Op }>,
      onProgress: (progress: BackupProgress) => void = () => undefined,
    ): Promise<BackupResults[Op]> {
      if (isClosed) throw new Error('the backup worker is closed');
      let failure: Error = new Error('the backup process ended before the job was complete');
      let result: { value: BackupResults[Op] } | undefined;
      const runningJob = start(job, (message) => {
        if (message.type === 'progress') onProgress(message.progress);
        else if (message.type === 'problem') failure = new BackupProblem(message.kind, message.text);
        else if (message.type === 'fault') failure = new Error(message.text);
        // The operation of the job determines the type of the result.
        else if (message.type === 'done') result = { value: message.result as BackupResults[Op] };
      });
      runningJobs.add(runningJob);
      void runningJob.ended.then(() => runningJobs.delete(runningJob));
      await runningJob.done;
      if (result === undefined) throw failure;
      return result.value;
    },
    /** Kills running jobs. Later jobs delete the partial files that remain. */
    async close(): Promise<void> {
      isClosed = true;
      const jobs = [...runningJobs];
      for (const job of jobs) job.kill();
      await endsWithin(KILL_WAIT_MS, Promise.all(jobs.map(({ ended }) => ended)));
      for (const job of runningJobs) job.abandon();
    },
  };
};
