import { connect, type Socket } from 'node:net';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../platform/clock.ts';
import { signPdaToken } from '../platform/pda-proof.ts';
import {
  GO,
  isReady,
  KEY_HEADER,
  openLine,
  PING,
  PING_MS,
  readVisit,
  STEP_MS,
  TUNNEL_SCOPE,
} from '../platform/tunnel-protocol.ts';

/**
 * Leads a name of the relay to a server of this machine. PDAs hold theirs themselves; the exchange and the contracts service have addresses of their own
 * elsewhere, and here we hold a name for each, so that everybody is behind the same port.
 */
export type Lead = { readonly name: string; stop(): Promise<boolean> };

export type LeadKey = { privateKey: KeyObject; publicKey: KeyObject };

export type LeadParts = {
  /** Port of the relay on this machine, and host[:port] by which it calls itself. */
  relay: { port: number; host: string };
  name: string;
  key: LeadKey;
  /** Port of the server. */
  to: number;
};

const HERE = '127.0.0.1';
/** Lines that wait for a visitor. */
const WAITING = 8;
/** Milliseconds until a name that was lost is claimed anew, as after this computer slept. */
const AGAIN_MS = 1000;

const sessionSchema = z.object({ session: z.string(), secret: z.string() });
type Session = { session: string; secret: Buffer };

const claim = async ({ relay, name, key }: LeadParts): Promise<Session> => {
  const wanted = { iss: `${name}.${relay.host}`, resource: relay.host, accessScope: TUNNEL_SCOPE };
  const response = await fetch(`http://${HERE}:${relay.port}/${name}`, {
    headers: {
      authorization: `Bearer ${await signPdaToken(key, wanted, systemClock)}`,
      [KEY_HEADER]: key.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    },
    signal: AbortSignal.timeout(STEP_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the relay does not give us ${name}: ${response.status} ${text}`);
  const { session, secret } = sessionSchema.parse(JSON.parse(text));
  return { session, secret: Buffer.from(secret, 'base64url') };
};

/** Passes everything on in both directions. Whichever end breaks off, the other one does: half an answer must not look like a whole one. */
const join = (one: Socket, other: Socket): void => {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
};

/** Resolves when visitors are let in. @throws Error when the relay does not give us the name */
export const startLead = async (parts: LeadParts): Promise<Lead> => {
  const { relay, name, to } = parts;
  const sockets = new Set<Socket>();
  let waiting = 0;
  let isStopped = false;
  let current: Session | undefined;
  let counter = 0;
  let again: NodeJS.Timeout | undefined;

  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.setNoDelay(true).once('close', () => sockets.delete(socket));
  };

  const claimLater = (): void => {
    current = undefined;
    clearTimeout(again);
    // A relay that is gone is asked once a second: who started this has read that it is.
    again = setTimeout(() => void begin().catch(claimLater), AGAIN_MS);
  };

  /** Resolves when the line waits; what comes afterwards takes care of itself. */
  const open = (session: Session): Promise<void> =>
    new Promise((resolve) => {
      counter += 1;
      const line = { session: session.session, counter };
      const socket = track(connect({ host: HERE, port: relay.port, allowHalfOpen: true }));
      let said = '';
      let isUp = false;
      let isTheirs = false;
      waiting += 1;
      const ping = setInterval(() => socket.write(`${PING}\n`), PING_MS);

      const onLine = (words: string): void => {
        if (!isUp) {
          if (!isReady(session.secret, line, words)) socket.destroy();
          isUp = true;
          resolve();
        } else if (words !== PING) {
          if (readVisit(session.secret, line, words) === undefined) socket.destroy();
          else takeOver();
        }
      };
      const takeOver = (): void => {
        isTheirs = true;
        waiting -= 1;
        clearInterval(ping);
        socket.off('data', onData);
        socket.write(`${GO}\n`);
        join(socket, track(connect({ host: HERE, port: to, allowHalfOpen: true })));
        void fill();
      };
      const onData = (part: Buffer): void => {
        said += part.toString('latin1');
        for (let end = said.indexOf('\n'); end !== -1 && !isTheirs; end = said.indexOf('\n')) {
          const words = said.slice(0, end);
          said = said.slice(end + 1);
          onLine(words);
        }
      };
      socket.on('data', onData);
      socket.on('error', () => socket.destroy());
      socket.once('end', () => {
        if (!isTheirs) socket.destroy();
      });
      socket.once('close', () => {
        resolve();
        if (isTheirs) return;
        clearInterval(ping);
        waiting -= 1;
        if (!isStopped && session === current) claimLater();
      });
      socket.write(`${openLine(session.secret, line)}\n`);
    });

  const fill = (): Promise<unknown> => {
    const opening: Promise<void>[] = [];
    while (!isStopped && current !== undefined && waiting < WAITING) opening.push(open(current));
    return Promise.all(opening);
  };

  const begin = async (): Promise<void> => {
    const session = await claim(parts);
    if (isStopped) return;
    current = session;
    await fill();
  };

  await begin();
  return {
    name,
    async stop() {
      isStopped = true;
      clearTimeout(again);
      const open = [...sockets];
      const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
      return true;
    },
  };
};
