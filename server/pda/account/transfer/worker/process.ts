import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import type { RegisterFunctions } from '../../../storage/database.ts';
import type { Derived } from '../import/database-store.ts';
import { exportAccount } from '../export/writer.ts';
import { importArchive, lookAt } from '../import/importer.ts';
import type { TransferResults, TransferProgress, TransferJob } from './jobs.ts';
import type { Forms } from '../format/row-rules.ts';
import { archiveErrorText, MoveProblem } from '../format/error.ts';

/** What other rooms bring to the work. */
export type WorkTools = Derived & { forms: Forms; registerFunctions: RegisterFunctions };

const TELL_EVERY_MS = 250;

const say = (message: TransferProgress): void => void process.send?.(message);

/** No more is made than is taken. */
const writingTo =
  (out: Writable) =>
  async (bytes: Buffer): Promise<void> => {
    if (!out.write(bytes)) await once(out, 'drain');
  };

const exportTo = async (job: Extract<TransferJob, { op: 'export' }>, parts: { forms: Forms; tell: Tell }) => {
  const { to } = job;
  if (to === undefined) {
    const done = await exportAccount({ ...job, ...parts, write: writingTo(process.stdout) });
    await new Promise<void>((resolve) => process.stdout.end(() => resolve()));
    return done;
  }
  if (existsSync(to)) throw new MoveProblem('wrong_state', `${to} is there already. Choose another name.`);
  // It gets its name when it is whole: one that broke off is not taken for an archive.
  const unfinished = `${to}.unfinished`;
  // Removes an unfinished export. In a shared folder, never write to a link or to another user's file.
  rmSync(unfinished, { force: true });
  const out = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
  try {
    const done = await exportAccount({ ...job, ...parts, write: writingTo(out) });
    out.end();
    await finished(out);
    renameSync(unfinished, to);
    return done;
  } catch (error) {
    out.destroy();
    rmSync(unfinished, { force: true });
    throw archiveErrorText(error);
  }
};

type Tell = (done: number, total: number) => void;

const doJob = (job: TransferJob, tools: WorkTools, tell: Tell): Promise<TransferResults[keyof TransferResults]> => {
  const parts = { ...tools, tell };
  switch (job.op) {
    case 'export':
      return exportTo(job, parts);
    case 'look':
      return lookAt(job.path, { ...parts, home: job.home });
    case 'import':
      return importArchive(job.path, { ...parts, home: job.home, now: job.now });
  }
};

/** Runs one job for the parent process, then exits. */
export const workFor = (tools: WorkTools): void => {
  let told = 0;
  const tell: Tell = (done, total) => {
    if (performance.now() - told < TELL_EVERY_MS) return;
    told = performance.now();
    say({ type: 'progress', done, total });
  };
  const end = (message: TransferProgress): void => void process.send?.(message, () => process.disconnect());
  process.once('disconnect', () => process.exit());
  process.once('message', (job: TransferJob) => {
    Promise.resolve()
      .then(() => doJob(job, tools, tell))
      .then((result) => end({ type: 'done', result }))
      .catch((error: unknown) => {
        const problem = archiveErrorText(error);
        if (problem instanceof MoveProblem) end({ type: 'problem', kind: problem.kind, text: problem.message });
        else end({ type: 'fault', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      });
  });
};
