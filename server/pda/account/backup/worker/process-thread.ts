import { fork } from 'node:child_process';
import { parentPort, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import type { BackupJob, BackupMessage, ThreadMessage } from './jobs.ts';

/*
 * Worker thread that starts the backup process and forwards its messages, because starting a process can block the
 * calling thread for tens of milliseconds.
 */

const PROCESS_ENTRY = fileURLToPath(new URL('./process.ts', import.meta.url));
const port = parentPort;
if (port === null) throw new Error('this module must run as a worker thread');
const send = (message: ThreadMessage): void => port.postMessage(message);

const child = fork(PROCESS_ENTRY, {
  execArgv: [],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  serialization: 'json',
});
child.on('message', (message) => send({ type: 'message', message: message as BackupMessage }));
child.once('error', (error) => send({ type: 'failed', text: error.message }));
child.once('close', () => {
  send({ type: 'closed' });
  port.close();
});
// Every message is a request to kill the process.
port.once('message', () => child.kill('SIGKILL'));
child.send(workerData as BackupJob, (error) => {
  if (error !== null) child.kill('SIGKILL');
});
