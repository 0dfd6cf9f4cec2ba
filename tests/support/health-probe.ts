import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { HealthReport } from './watch-health.ts';

// Polls `/healthz` in a separate process, because a test that reads large responses would delay its own measurements.
// Arguments: port and process id of the server. For each message from the parent, it sends the longest delay in
// milliseconds and the number of probes since the previous message.
//
// The delay of a response is its duration, or the CPU time of the server's main thread during the request if that is
// less, so that the time for which other programs use the CPU does not count.

const port = Number(process.argv[2]);
const pid = Number(process.argv[3]);

/** Milliseconds for which the main thread of the server has run on a CPU. */
const mainThreadMs = (): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
/** Pause between two probes: a tenth of the delay that fails a test. */
const INTERVAL_MS = 25;

let longestMs = 0;
let count = 0;

const probe = (): Promise<void> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (response) => {
      response.resume();
      response.on('end', resolve);
    })
      .on('error', reject)
      .end();
  });

process.on('message', () => {
  process.send?.({ longestMs, count } satisfies HealthReport);
  longestMs = 0;
  count = 0;
});

for (;;) {
  const [start, startCpuMs] = [performance.now(), mainThreadMs()];
  await probe();
  longestMs = Math.max(longestMs, Math.min(performance.now() - start, mainThreadMs() - startCpuMs));
  count += 1;
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
}
