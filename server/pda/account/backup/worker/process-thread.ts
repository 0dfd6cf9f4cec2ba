import { fork } from 'node:child_process';
import { parentPort, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import type { FromThread, ThreadJob } from './jobs.ts';

/**
 * Starts the backup process and forwards its messages. Starting a process blocks the calling thread for dozens of
 * milliseconds on a busy machine, so this thread does it.
 */

const WORK = fileURLToPath(new URL('./process.ts', import.meta.url));
const port = parentPort;
if (port === null) throw new Error('this runs as a thread');
const say = (message: FromThread): void => port.postMessage(message);

const { job } = workerData as ThreadJob;
const child = fork(WORK, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'json' });
child.on('message', (said) => say({ type: 'said', said: said as Extract<FromThread, { type: 'said' }>['said'] }));
child.once('error', (error) => say({ type: 'failed', text: error.message }));
child.once('close', () => {
  say({ type: 'closed' });
  port.close();
});
// Whatever comes is the one thing that can be asked for.
port.once('message', () => child.kill('SIGKILL'));
child.send(job, (error) => {
  if (error !== null) child.kill('SIGKILL');
});
