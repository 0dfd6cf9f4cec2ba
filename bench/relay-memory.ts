import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../server/platform/clock.ts';
import { signPdaToken } from '../server/platform/pda-proof.ts';
import { isReady, openLine, PING, PING_MS, TUNNEL_SCOPE } from '../server/platform/tunnel-protocol.ts';
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
const DOMAIN = 'localhost';

/** Each has an address of this machine of its own, as PDAs have: the relay bounds what one may do. */
const addressOf = (index: number): string => `127.1.${index >> 8}.${index & 255}`;

/** One key for all: a relay holds them by name, and 2,000 keys would take minutes to make. */
const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const spki = key.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

const claim = async (port: number, index: number): Promise<{ session: string; secret: Buffer }> => {
  const name = `pda-${index}`;
  const host = `${DOMAIN}:${port}`;
  const said = { iss: `${name}.${host}`, resource: host, accessScope: TUNNEL_SCOPE };
  const token = await signPdaToken(key, said, systemClock);
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${token}`, 'x-pda-key': spki };
    const options = {
      host: '127.0.0.1',
      port,
      path: `/${name}`,
      headers,
      agent: false,
      localAddress: addressOf(index),
    };
    const sent = request(options, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(body);
        else reject(new Error(`the claim of ${name}: ${answer.statusCode} ${body}`));
      });
    });
    sent.on('error', reject).end();
  });
  const answer = JSON.parse(text) as { session: string; secret: string };
  return { session: answer.session, secret: Buffer.from(answer.secret, 'base64url') };
};

const openOne = (
  port: number,
  index: number,
  { session, secret }: { session: string; secret: Buffer },
  counter: number,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const line = { session, counter };
    const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(index) });
    socket.on('error', reject);
    socket.once('data', (part: Buffer) => {
      if (isReady(secret, line, part.toString('latin1').trimEnd())) resolve(socket);
      else reject(new Error('what answers is no relay'));
    });
    socket.write(`${openLine(secret, line)}\n`);
  });

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
    DOMAIN,
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
        const session = await claim(port, index);
        for (let counter = 1; counter <= LINES; counter += 1)
          sockets.push(await openOne(port, index, session, counter));
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
