import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement, CallerOptions } from './load.ts';

// Process with several normal clients. Each alternately stores a record and reads some records, with a pause after each
// request. When the process receives a duration, it measures the response times for at least that long.

const options = JSON.parse(process.argv[2] ?? '') as CallerOptions;
const CLIENTS = 4;
/** Minimum number of measured requests. With fewer, the measurement takes up to `EXTENSION_FACTOR` times as long. */
const REQUESTS_MIN = 120;
const EXTENSION_FACTOR = 20;
const POLL_MS = 20;
/** Pause of a client after each request, in milliseconds. */
const PAUSE_MS = 4;
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, localAddress: options.localAddress });

const call = (method: string, path: string, body?: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      host: options.host,
      'x-auth-token': options.token,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const requestOptions = { host: '127.0.0.1', port: options.port, agent, method, path, headers };
    const clientRequest = request(requestOptions, (response) => {
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200 || response.statusCode === 201) resolve();
        else reject(new Error(`${method} ${path} returned ${response.statusCode}`));
      });
      response.resume();
    });
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });

let durationsMs: number[] = [];
let failures: string[] = [];

const measureCall = async (method: string, path: string, body?: string): Promise<void> => {
  const start = performance.now();
  try {
    await call(method, path, body);
    durationsMs.push(performance.now() - start);
  } catch (error) {
    failures.push(String(error));
  }
  await pause(PAUSE_MS);
};

process.on('message', (measureMs: number) => {
  durationsMs = [];
  failures = [];
  const start = performance.now();
  const poll = setInterval(() => {
    const elapsed = performance.now() - start;
    // The 99th percentile needs at least a hundred samples, which take longer on a busy machine.
    if (elapsed < measureMs || (durationsMs.length < REQUESTS_MIN && elapsed < EXTENSION_FACTOR * measureMs)) return;
    clearInterval(poll);
    const sortedMs = durationsMs.toSorted((a, b) => a - b);
    const quantile = (fraction: number): number =>
      sortedMs[Math.min(sortedMs.length - 1, Math.floor(sortedMs.length * fraction))] ?? 0;
    const measurement: Measurement = {
      requests: sortedMs.length,
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
    await measureCall('POST', '/api/v2.6/data/load/calls', JSON.stringify({ steps: 1200, note: 'x'.repeat(200) }));
    await measureCall('GET', '/api/v2.6/data/load/read?take=20');
  }
};
await Promise.all(Array.from({ length: CLIENTS }, sendRequests));
