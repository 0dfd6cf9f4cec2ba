import { readFileSync } from 'node:fs';
import { request } from 'node:http';

/**
 * A separate process that polls `/healthz`, because the test that reads large responses would measure itself. Started with
 * the port and the process id of a server; each message asks for the longest delay, in milliseconds, since the last one.
 *
 * The delay of a response is its duration, or the CPU time of the server's main thread during the request if that is less: on a
 * busy machine a response waits for a CPU, which says nothing about the server.
 */

const port = Number(process.argv[2]);
const pid = Number(process.argv[3]);

/** Milliseconds for which the main thread of the server has run on a CPU. */
const mainThreadMs = (): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
/** A tenth of the delay that fails a test. */
const INTERVAL_MS = 25;

let longest = 0;
let count = 0;

const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) => {
      response.resume();
      response.on('end', resolve);
    })
      .on('error', reject)
      .end();
  });

process.on('message', () => {
  process.send?.({ longest, count });
  longest = 0;
  count = 0;
});

for (;;) {
  const [start, worked] = [performance.now(), mainThreadMs()];
  await ask();
  longest = Math.max(longest, Math.min(performance.now() - start, mainThreadMs() - worked));
  count += 1;
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
}
