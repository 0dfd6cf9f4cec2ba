import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import localtunnel from 'localtunnel';
import { z } from 'zod';
import { messageOf } from '../../../../wire/values.ts';
import { readAddress } from './rules.ts';

/**
 * Runs the localtunnel client. The package asks an unreachable server again each second for ever, replaces dead connections at once and has no way to stop
 * either, so it runs in a thread that is ended and started again.
 */

export type LocaltunnelTask = {
  host: string;
  subdomain: string;
  /** Of this machine: where visitors are led. */
  port: number;
};

/** `up` comes once, with the first connection. After one of the others the thread is to be ended. */
export type LocaltunnelMessage =
  | { kind: 'up'; address: string }
  | { kind: 'refused'; problem: string }
  | { kind: 'lost'; problem: string };

/** The part of axios that is used: the instance that the package itself calls. */
type HttpClient = {
  defaults: { timeout: number; maxRedirects: number; maxContentLength: number };
  interceptors: {
    response: {
      use(onAnswer: (answer: { data: unknown }) => unknown, onError: (error: unknown) => never): void;
    };
  };
};

const CLAIM_TIMEOUT_MS = 10_000;
const ANSWER_MAX_BYTES = 10_000;
/** Connections that wait for visitors, however many the server would take. */
const CONNECTIONS_MAX = 10;
/** Milliseconds without any connection after which the server counts as gone: the package does not report a connection that times out. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Connections in a row that brought no visitor. The package replaces each at once, so a server that drops them all would keep a processor busy. */
const IDLE_CONNECTIONS_MAX = 100;

const answerSchema = z.object({
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
const failed = (message: LocaltunnelMessage & { problem: string }): never => {
  send(message);
  throw new Error(message.problem);
};

/** The HTTP client of the package: its answers are checked before the package acts on them. */
const axios: HttpClient = createRequire(createRequire(import.meta.url).resolve('localtunnel'))('axios');
Object.assign(axios.defaults, {
  timeout: CLAIM_TIMEOUT_MS,
  maxRedirects: 0,
  maxContentLength: ANSWER_MAX_BYTES,
});
let address = '';
axios.interceptors.response.use(
  (answer) => {
    const found = answerSchema.safeParse(answer.data).data;
    if (found === undefined) return failed({ kind: 'lost', problem: 'What answers there is no localtunnel server.' });
    const handedOut = readAddress(found.url, task.subdomain);
    if ('problem' in handedOut) return failed({ kind: 'refused', problem: handedOut.problem });
    address = handedOut.address;
    // An `ip` in the answer is left out: the server must not have this machine call others, e.g. within the owner's network.
    return { ...answer, data: { ...found, max_conn_count: Math.min(found.max_conn_count, CONNECTIONS_MAX) } };
  },
  (error) => {
    const refusal = errorSchema.safeParse(error).data?.response;
    if (refusal !== undefined && refusal.status < 500)
      return failed({ kind: 'refused', problem: `The server refused: ${refusal.data.message}` });
    const reason = messageOf(error);
    return failed({ kind: 'lost', problem: `The server could not be reached (${reason}).` });
  },
);

const tunnel = await localtunnel(task);
let open = 0;
let idle = 0;
const noConnection = (): void => send({ kind: 'lost', problem: 'The server takes no connections.' });
let timeout = setTimeout(noConnection, CONNECT_TIMEOUT_MS);
tunnel.on('error', (error: Error) => {
  if (open === 0) send({ kind: 'lost', problem: `The connection to the server broke (${error.message}).` });
});
tunnel.tunnelCluster.on('open', (socket: Socket) => {
  clearTimeout(timeout);
  open += 1;
  idle += 1;
  if (address !== '') send({ kind: 'up', address });
  address = '';
  socket.once('data', () => {
    idle = 0;
  });
  socket.once('close', () => {
    open -= 1;
    if (open === 0) timeout = setTimeout(noConnection, CONNECT_TIMEOUT_MS);
    if (idle >= IDLE_CONNECTIONS_MAX) send({ kind: 'lost', problem: 'The server closes every connection.' });
  });
});
