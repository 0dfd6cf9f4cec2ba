import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import localtunnel from 'localtunnel';
import { z } from 'zod';
import { messageOf } from '../../../../wire/values.ts';
import { validateAssignedAddress } from './rules.ts';

// Runs the package `localtunnel`. It retries an unreachable server every second without limit, even after its `close`,
// and replaces dead connections immediately, so it runs in a thread that is terminated and restarted.

export type LocaltunnelTask = {
  host: string;
  subdomain: string;
  port: number;
};

/** `up` is sent once, at the first connection. After any other message the thread must be terminated. */
export type LocaltunnelMessage =
  | { kind: 'up'; address: string }
  | { kind: 'refused'; problem: string }
  | { kind: 'lost'; problem: string };

/** The part of axios, the HTTP client of the package, that this thread uses. */
type HttpClient = {
  defaults: { timeout: number; maxRedirects: number; maxContentLength: number };
  interceptors: {
    response: {
      use(onResponse: (response: { data: unknown }) => unknown, onError: (error: unknown) => never): void;
    };
  };
};

const REQUEST_TIMEOUT_MS = 10_000;
const RESPONSE_MAX_BYTES = 10_000;
/** The server may accept more connections. Each serves one client at a time. */
const CONNECTIONS_MAX = 10;
/**
 * If there is no connection for this long, the server is considered lost: the package does not report connect timeouts.
 */
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * After this many consecutive connections without data, the server is considered lost. The package replaces each closed
 * connection immediately, so a server that closes all of them would keep a CPU core busy.
 */
const UNUSED_CONNECTIONS_MAX = 100;

const responseSchema = z.object({
  id: z.string().max(100),
  url: z.string().max(300),
  port: z.int().min(1).max(65_535),
  max_conn_count: z.int().min(1).default(1),
});
const errorSchema = z.object({
  response: z.object({ status: z.int(), data: z.object({ message: z.string() }) }),
});

const task: LocaltunnelTask = workerData;
let isOver = false;
const send = (message: LocaltunnelMessage): void => {
  if (isOver) return;
  isOver = message.kind !== 'up';
  parentPort?.postMessage(message);
};
const fail = (message: LocaltunnelMessage & { problem: string }): never => {
  send(message);
  throw new Error(message.problem);
};

const axios: HttpClient = createRequire(createRequire(import.meta.url).resolve('localtunnel'))('axios');
Object.assign(axios.defaults, {
  timeout: REQUEST_TIMEOUT_MS,
  maxRedirects: 0,
  maxContentLength: RESPONSE_MAX_BYTES,
});
let address = '';
axios.interceptors.response.use(
  (response) => {
    const responseData = responseSchema.safeParse(response.data).data;
    if (responseData === undefined) return fail({ kind: 'lost', problem: 'The server is not a localtunnel server.' });
    const assignment = validateAssignedAddress(responseData.url, task.subdomain);
    if ('problem' in assignment) return fail({ kind: 'refused', problem: assignment.problem });
    address = assignment.address;
    // Drops `ip` from the response: the server must not direct connections to other hosts, such as the owner's own.
    return {
      ...response,
      data: { ...responseData, max_conn_count: Math.min(responseData.max_conn_count, CONNECTIONS_MAX) },
    };
  },
  (error) => {
    const refusal = errorSchema.safeParse(error).data?.response;
    if (refusal !== undefined && refusal.status < 500)
      return fail({ kind: 'refused', problem: `The server refused: ${refusal.data.message}` });
    return fail({
      kind: 'lost',
      problem: `The server could not be reached or did not assign an address (${messageOf(error)}).`,
    });
  },
);

const tunnel = await localtunnel(task);
let openCount = 0;
let unusedCount = 0;
const reportNoConnection = (): void => send({ kind: 'lost', problem: 'The server accepts no connections.' });
let timeout = setTimeout(reportNoConnection, CONNECT_TIMEOUT_MS);
tunnel.on('error', (error: Error) => {
  if (openCount === 0) send({ kind: 'lost', problem: `Connecting to the server failed (${error.message}).` });
});
tunnel.tunnelCluster.on('open', (socket: Socket) => {
  clearTimeout(timeout);
  openCount += 1;
  unusedCount += 1;
  if (address !== '') send({ kind: 'up', address });
  address = '';
  socket.once('data', () => {
    unusedCount = 0;
  });
  socket.once('close', () => {
    openCount -= 1;
    if (openCount === 0) timeout = setTimeout(reportNoConnection, CONNECT_TIMEOUT_MS);
    if (unusedCount >= UNUSED_CONNECTIONS_MAX) send({ kind: 'lost', problem: 'The server closes every connection.' });
  });
});
