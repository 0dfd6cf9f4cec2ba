import { Agent, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import type { Measurement, CallerOptions } from './load.ts';

/**
 * A normal client in a separate process: stores a record, reads some, rests for a moment. On request it measures its response
 * times for a given duration.
 */

const work = JSON.parse(process.argv[2] ?? '') as CallerOptions;
/** Concurrent clients. */
const CLIENTS = 4;
/** Minimum number of measured requests. If there are fewer, the measurement takes up to `EXTENSION` times longer. */
const MIN_REQUESTS = 120;
const EXTENSION = 4;
const POLL_MS = 20;
/** Milliseconds between two requests of one client. */
const REST_MS = 4;
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, localAddress: work.from });

const call = (method: string, path: string, body?: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      host: work.host,
      'x-auth-token': work.token,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const options = { host: '127.0.0.1', port: work.port, agent, method, path, headers };
    const outgoing = request(options, (incoming) => {
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (incoming.statusCode === 200 || incoming.statusCode === 201) resolve();
        else reject(new Error(`${method} ${path} returned ${incoming.statusCode}`));
      });
      incoming.resume();
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

let times: number[] = [];
let failures: string[] = [];

const timed = async (method: string, path: string, body?: string): Promise<void> => {
  const start = performance.now();
  try {
    await call(method, path, body);
    times.push(performance.now() - start);
  } catch (error) {
    failures.push(String(error));
  }
  await after(REST_MS);
};

process.on('message', (measureMs: number) => {
  times = [];
  failures = [];
  const start = performance.now();
  const poll = setInterval(() => {
    const elapsed = performance.now() - start;
    // The slowest of a hundred needs a hundred samples, which takes longer on a busy machine.
    if (elapsed < measureMs || (times.length < MIN_REQUESTS && elapsed < EXTENSION * measureMs)) return;
    clearInterval(poll);
    const sorted = times.toSorted((a, b) => a - b);
    const quantile = (fraction: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;
    const measurement: Measurement = {
      calls: sorted.length,
      p50: quantile(0.5),
      p99: quantile(0.99),
      failures: failures.slice(0, 5),
    };
    process.send?.(measurement);
  }, POLL_MS);
});
process.on('disconnect', () => process.exit(0));

const sendRequests = async (): Promise<never> => {
  for (;;) {
    await timed('POST', '/api/v2.6/data/load/calls', JSON.stringify({ steps: 1200, note: 'x'.repeat(200) }));
    await timed('GET', '/api/v2.6/data/load/read?take=20');
  }
};
await Promise.all(Array.from({ length: CLIENTS }, sendRequests));
