import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PING, PING_MS } from '../server/platform/tunnel/protocol.ts';
import { claimName, LOCAL_DOMAIN, openConnection, sessionOf } from '../tests/support/relay.ts';
import type { Benchmark } from './support/context.ts';
import { start } from './support/processes.ts';
import { megabytes, formatRounded } from './support/stats.ts';

const TUNNELS = 2000;
/** Waiting connections per PDA. */
const CONNECTIONS = 4;
const MAX_MB = 300;
const MEGABYTE = 1_000_000;
const CONCURRENT_CLAIMS = 50;
/** Rounds of pings on all connections, and milliseconds between two memory samples during them. */
const ROUNDS = 3;
const SAMPLE_MS = 100;

/** A different address of this machine per PDA, because the relay limits each address. */
const addressOf = (index: number): string => `127.1.${index >> 8}.${index & 255}`;

/** Sends a ping and waits for the reply. */
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

/** Measures the memory of a relay process with 2,000 tunnels. */
export const relayMemory: Benchmark = async (context) => {
  const relay = await start('server/relay/cli.ts', [
    'serve',
    '--domain',
    LOCAL_DOMAIN,
    '--home',
    join(context.folder, 'relay'),
  ]);
  const sockets: Socket[] = [];
  try {
    const port = Number(new URL(relay.url).port);
    const before = relay.rss();
    let next = 0;
    // On a slow disk, storing all names takes a while, and the relay closes connections that send no pings.
    const timer = setInterval(() => {
      for (const socket of sockets) socket.write(`${PING}\n`);
    }, PING_MS);
    const startedAt = performance.now();
    const work = async (): Promise<void> => {
      while (next < TUNNELS) {
        const index = next++;
        const options = { port, domain: LOCAL_DOMAIN, from: addressOf(index) };
        // One key for all, because the relay stores tunnels by name and generating 2,000 keys would take minutes.
        const response = await claimName(options, `pda-${index}`);
        if (response.status !== 200) throw new Error(`the claim of pda-${index}: ${response.status} ${response.text}`);
        const session = sessionOf(response);
        for (let counter = 1; counter <= CONNECTIONS; counter += 1) {
          const connection = openConnection(options, session, counter);
          await connection.ready;
          sockets.push(connection.socket);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_CLAIMS }, work));
    clearInterval(timer);
    const seconds = (performance.now() - startedAt) / 1000;
    let most = relay.rss();
    for (let round = 0; round < ROUNDS; round += 1) {
      let isOver = false;
      const pings = Promise.all(sockets.map(ping)).then(() => {
        isOver = true;
      });
      while (!isOver) {
        most = Math.max(most, relay.rss());
        await Promise.race([pings, sleep(SAMPLE_MS)]);
      }
      most = Math.max(most, relay.rss());
    }
    return [
      {
        what: `Memory of the relay with ${formatRounded(TUNNELS)} tunnels of ${CONNECTIONS} waiting connections`,
        value: most / MEGABYTE,
        target: MAX_MB,
        better: 'less',
        unit: 'MB',
        detail: `highest resident size of the whole process in ${ROUNDS} rounds of pings; ${megabytes(before)} before the first claim; all were claimed and open after ${seconds.toFixed(1)} s`,
      },
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
    await relay.stop();
  }
};
