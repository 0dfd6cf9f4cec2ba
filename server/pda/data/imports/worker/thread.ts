import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../../wire/values.ts';
import { lookAt } from './summary.ts';
import { FROM_THE_START, type FromThread, type ThreadWork, type ToThread } from './messages.ts';
import { readExport } from './reader.ts';

/** The other end of `thread-reader.ts`: what comes from outside is taken apart here, where neither its size nor its form holds anybody up. */

const port = parentPort;
if (port === null) throw new Error('thread.ts runs in a thread');

const say = (message: FromThread): void => port.postMessage(message);

/** Batches that may wait at the other end. */
const AHEAD = 2;
const ALIVE_MS = 500;

let waiting = 0;
let go: (() => void) | undefined;
port.on('message', (message: ToThread) => {
  if (message.say !== 'next') return;
  waiting -= 1;
  go?.();
});

let lastAlive = 0;
const work = workerData as ThreadWork;
try {
  if (work.what === 'look') say({ say: 'found', found: await lookAt(work.sources, work) });
  else
    await readExport({
      ...work,
      from: work.from ?? FROM_THE_START,
      async hand(batch) {
        say(batch);
        waiting += 1;
        while (waiting >= AHEAD) await new Promise<void>((resolve) => (go = resolve));
      },
      alive(bytesRead) {
        const now = performance.now();
        if (now - lastAlive < ALIVE_MS) return;
        lastAlive = now;
        say({ say: 'alive', bytesRead });
      },
    });
  say({ say: 'end' });
} catch (error) {
  say({ say: 'failed', problem: messageOf(error) });
}
port.close();
