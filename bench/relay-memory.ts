import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PING, PING_MS } from '../server/platform/tunnel/protocol.ts';
import { claim, LOCAL, openConnection, sessionOf } from '../tests/support/relay.ts';
import type { Benchmark } from './support/context.ts';
import { start } from './support/processes.ts';
import { megabytes, whole } from './support/stats.ts';

const TUNNELS = 2000;
/** What a PDA keeps waiting. */
const LINES = 4;
const MAX_MB = 300;
const MEGABYTE = 1_000_000;
const AT_ONCE = 50;
/** Rounds of signs of life from all lines, and milliseconds between two looks at the memory meanwhile. */
const ROUNDS = 3;
const LOOK_MS = 100;

/** A different address of this machine per PDA, because the relay limits each address. */
const addressOf = (index: number): string => `127.1.${index >> 8}.${index & 255}`;

/** A sign of life, until it is answered. */
const ping = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    const onClose = (): void => reject(new Error('the relay closed a line'));
    socket.once('data', () => {
      socket.off('close', onClose);
      resolve();
    });
    socket.once('close', onClose);
    socket.write(`${PING}\n`);
  });

/** Memory of a relay that holds 2,000 tunnels, its whole process. */
export const relayMemory: Benchmark = async (context) => {
  const relay = await start('server/relay/cli.ts', [
    'serve',
    '--domain',
    LOCAL,
    '--home',
    join(context.folder, 'relay'),
  ]);
  const sockets: Socket[] = [];
  try {
    const port = Number(new URL(relay.url).port);
    const before = relay.rss();
    let next = 0;
    // Where the disk is slow it takes a while until all names are kept, and lines that are silent meanwhile are given up.
    const timer = setInterval(() => {
      for (const socket of sockets) socket.write(`${PING}\n`);
    }, PING_MS);
    const began = performance.now();
    const work = async (): Promise<void> => {
      while (next < TUNNELS) {
        const index = next++;
        const where = { port, domain: LOCAL, from: addressOf(index) };
        // One key for all: a relay holds them by name, and 2,000 keys would take minutes to make.
        const answer = await claim(where, `pda-${index}`);
        if (answer.status !== 200) throw new Error(`the claim of pda-${index}: ${answer.status} ${answer.text}`);
        const session = sessionOf(answer);
        for (let counter = 1; counter <= LINES; counter += 1) {
          const line = openConnection(where, session, counter);
          await line.ready;
          sockets.push(line.socket);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    clearInterval(timer);
    const seconds = (performance.now() - began) / 1000;
    let most = relay.rss();
    for (let round = 0; round < ROUNDS; round += 1) {
      let isOver = false;
      const pings = Promise.all(sockets.map(ping)).then(() => {
        isOver = true;
      });
      while (!isOver) {
        most = Math.max(most, relay.rss());
        await Promise.race([pings, sleep(LOOK_MS)]);
      }
      most = Math.max(most, relay.rss());
    }
    return [
      {
        what: `Memory of the relay with ${whole(TUNNELS)} tunnels of ${LINES} waiting connections`,
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
