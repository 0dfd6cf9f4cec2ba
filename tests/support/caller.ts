import { Agent, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import type { Told, Work } from './load.ts';

/**
 * A normal client in a separate process: stores a record, reads some, rests for a moment. On request it measures its response
 * times for a given duration.
 */

const work = JSON.parse(process.argv[2] ?? '') as Work;
/** Concurrent clients. */
const SIDE_BY_SIDE = 4;
/** Calls that are enough to measure, and how many times longer it goes on where they are not there yet. */
const ENOUGH = 120;
const LONGER = 4;
const LOOK_MS = 20;
/** Milliseconds between two calls of one of them. */
const REST_MS = 4;
const agent = new Agent({ keepAlive: true, maxSockets: SIDE_BY_SIDE, localAddress: work.from });

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
        else reject(new Error(`${method} ${path} was answered ${incoming.statusCode}`));
      });
      incoming.resume();
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

let times: number[] = [];
let failures: string[] = [];

const timed = async (method: string, path: string, body?: string): Promise<void> => {
  const begun = performance.now();
  try {
    await call(method, path, body);
    times.push(performance.now() - begun);
  } catch (error) {
    failures.push(String(error));
  }
  await after(REST_MS);
};

process.on('message', (measureMs: number) => {
  times = [];
  failures = [];
  const begun = performance.now();
  const look = setInterval(() => {
    const since = performance.now() - begun;
    // The slowest of a hundred needs a hundred samples, which takes longer on a busy machine.
    if (since < measureMs || (times.length < ENOUGH && since < LONGER * measureMs)) return;
    clearInterval(look);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    const all: Told = { calls: sorted.length, p50: at(0.5), p99: at(0.99), failures: failures.slice(0, 5) };
    process.send?.(all);
  }, LOOK_MS);
});
process.on('disconnect', () => process.exit(0));

const live = async (): Promise<never> => {
  for (;;) {
    await timed('POST', '/api/v2.6/data/load/calls', JSON.stringify({ steps: 1200, note: 'x'.repeat(200) }));
    await timed('GET', '/api/v2.6/data/load/read?take=20');
  }
};
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, live));
