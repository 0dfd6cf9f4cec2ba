import type { Socket } from 'node:net';
import { join } from 'node:path';
import { PING, PING_MS } from '../server/platform/tunnel/protocol.ts';
import { claimName, LOCAL_DOMAIN, openConnection, sessionOf, type RelayTarget } from '../tests/support/relay.ts';
import type { Benchmark } from './support/context.ts';
import { measurePeakMemory, startProcess } from './support/processes.ts';
import { formatMegabytes, formatRounded } from './support/stats.ts';

const TUNNELS = 2000;
const CONNECTIONS_PER_TUNNEL = 4;
const MAX_MEMORY_MB = 300;
const MEGABYTE = 1_000_000;
const CONCURRENT_CLAIMS = 50;
const ROUNDS = 3;

/** Returns a different loopback address for each PDA, because the relay limits connections and names per network. */
const addressOf = (index: number): string => `127.1.${index >> 8}.${index & 255}`;

const ping = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    const onClose = (): void => reject(new Error('the relay closed a connection'));
    socket.once('data', () => {
      socket.off('close', onClose);
      resolve();
    });
    socket.once('close', onClose);
    socket.write(`${PING}\n`);
  });

export const relayMemory: Benchmark = async (context) => {
  const relay = await startProcess('server/relay/cli.ts', [
    'serve',
    '--domain',
    LOCAL_DOMAIN,
    '--home',
    join(context.folder, 'relay'),
  ]);
  const sockets: Socket[] = [];
  try {
    const port = Number(new URL(relay.url).port);
    const initialBytes = relay.rss();
    let nextIndex = 0;
    // On a slow disk, storing all names takes a while, and the relay closes connections that send no pings.
    const timer = setInterval(() => {
      for (const socket of sockets) socket.write(`${PING}\n`);
    }, PING_MS);
    const startedAt = performance.now();
    const claimNames = async (): Promise<void> => {
      while (nextIndex < TUNNELS) {
        const index = nextIndex++;
        const target: RelayTarget = { port, domain: LOCAL_DOMAIN, localAddress: addressOf(index) };
        // All PDAs use one key, because generating 2,000 keys would take minutes.
        const response = await claimName(target, `pda-${index}`);
        if (response.status !== 200) throw new Error(`cannot claim pda-${index}: ${response.status} ${response.text}`);
        const session = sessionOf(response);
        for (let counter = 1; counter <= CONNECTIONS_PER_TUNNEL; counter += 1) {
          const connection = openConnection(target, session, counter);
          await connection.ready;
          sockets.push(connection.socket);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_CLAIMS }, claimNames));
    clearInterval(timer);
    const seconds = (performance.now() - startedAt) / 1000;
    const { peakBytes } = await measurePeakMemory(relay, async () => {
      for (let round = 0; round < ROUNDS; round += 1) await Promise.all(sockets.map(ping));
    });
    return [
      {
        label: `Memory of the relay with ${formatRounded(TUNNELS)} tunnels, each with ${CONNECTIONS_PER_TUNNEL} waiting connections`,
        value: peakBytes / MEGABYTE,
        target: MAX_MEMORY_MB,
        better: 'less',
        unit: 'MB',
        detail: `peak resident set size in ${ROUNDS} rounds of pings; ${formatMegabytes(initialBytes)} before the first claim; all names were claimed and all connections open after ${seconds.toFixed(1)} s`,
      },
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
    await relay.stop();
  }
};
