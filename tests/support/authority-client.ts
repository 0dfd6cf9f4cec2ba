import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { expect } from 'vitest';
import { createCertificates, type CertificateParts } from '../../server/pda/network/address/certificates/manager.ts';
import {
  createTlsTerminator,
  type TlsTerminator,
  type TlsTerminatorParts,
} from '../../server/pda/network/address/certificates/tls-terminator.ts';
import type { Certificates } from '../../server/pda/network/address/service.ts';
import { silentLog } from '../../server/platform/log.ts';
import { openAuthority, type Authority } from './authority.ts';

/** A PDA as far as its certificate goes: what asks the authority for it, and a door on loopback where it is shown. */

export const HOST = 'alice.pda.example';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Milliseconds, on a machine that does other things too. */
const REACHED_WITHIN_MS = 15_000;

/**
 * Of those whom everybody trusts one is enough here: to read them all for each handshake takes longer than all the rest.
 * @returns what has them all back
 */
export const trustFew = (): (() => void) => {
  const all = getCACertificates('default');
  setDefaultCACertificates(all.slice(0, 1));
  return () => setDefaultCACertificates(all);
};

const open: (() => Promise<void> | void)[] = [];

/** Closes what a test has opened, the last first. */
export const closeOpened = async (): Promise<void> => {
  for (const close of open.splice(0).toReversed()) await close();
};

export const newCertificateFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-certificates-'));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'certificates');
};

export type Door = { port: number; end: TlsTerminator; server: Server; sockets: Set<Socket> };

/** Terminates TLS on a separate port. */
export const openDoor = async (
  parts: Pick<TlsTerminatorParts, 'certificates'> & Partial<TlsTerminatorParts>,
): Promise<Door> => {
  const sockets = new Set<Socket>();
  const end = createTlsTerminator({
    host: HOST,
    log: silentLog(),
    onConnection: (socket) => {
      socket.on('error', () => undefined);
      socket.end('hello from the PDA');
    },
    ...parts,
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    end.accept(socket, socket.remoteAddress ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => {
    end.close();
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.address() as AddressInfo).port, end, server, sockets };
};

export type Bench = {
  authority: Authority;
  folder: string;
  /** Milliseconds by which the clock of the PDA is ahead. */
  ahead: number;
  now(): number;
  /** Where the name leads, for the authority. */
  port: number;
  /** The PDA from its start on, with what is in the folder; one that runs is ended before. */
  begin(parts?: Partial<CertificateParts>): Promise<Certificates>;
};

export const openBench = async (): Promise<Bench> => {
  let running: Certificates | undefined;
  const authority = await openAuthority(() => ({ host: '127.0.0.1', port: bench.port }));
  open.push(() => authority.close());
  const bench: Bench = {
    authority,
    folder: newCertificateFolder(),
    ahead: 0,
    port: 0,
    now: () => Date.now() + bench.ahead,
    async begin(parts = {}) {
      await running?.close();
      const certificates = createCertificates({
        folder: bench.folder,
        host: HOST,
        directory: authority.url,
        clock: { now: bench.now },
        log: silentLog(),
        trust: authority.trust,
        agreed: () => true,
        polling: { intervalMs: 10, timeoutMs: 3000 },
        random: () => 1,
        ...parts,
      });
      running = certificates;
      open.push(() => certificates.close());
      bench.port = (await openDoor({ certificates })).port;
      certificates.start();
      certificates.wake();
      return certificates;
    },
  };
  return bench;
};

/** Waits for the state, which may be one of a moment, and says what it is when it does not come. */
export const reaches = async (certificates: Certificates, wanted: object): Promise<void> => {
  const like = expect.objectContaining(wanted) as { asymmetricMatch(other: unknown): boolean };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const look = (): void => {
    if (like.asymmetricMatch(certificates.view())) resolve(true);
  };
  const stop = certificates.onChange(look);
  // Time-driven changes trigger no event, so poll for them.
  const looks = setInterval(look, 25);
  const late = setTimeout(() => resolve(false), REACHED_WITHIN_MS);
  look();
  const isReached = await promise;
  stop();
  clearInterval(looks);
  clearTimeout(late);
  if (!isReached) expect(certificates.view()).toMatchObject(wanted);
};

export type Visit = { authorized: boolean; said: string; spki: string; protocol: string | null; resumed: boolean };

/** Goes to the door as a visitor does. Rejects when the handshake fails. */
export const visit = (
  port: number,
  options: {
    trust?: string;
    servername?: string;
    protocols?: string[];
    from?: string;
    onSocket?: (socket: TLSSocket) => void;
  } & {
    session?: Buffer | undefined;
    maxVersion?: 'TLSv1.2' | 'TLSv1.1';
  } = {},
): Promise<Visit> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ...(options.from === undefined ? {} : { localAddress: options.from }),
      servername: options.servername ?? HOST,
      ALPNProtocols: options.protocols ?? ['http/1.1'],
      rejectUnauthorized: false,
      ...(options.trust === undefined ? {} : { ca: options.trust }),
      ...(options.session === undefined ? {} : { session: options.session }),
      ...(options.maxVersion === undefined ? {} : { maxVersion: options.maxVersion, minVersion: 'TLSv1' as const }),
      ...(options.maxVersion === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    });
    options.onSocket?.(socket);
    let said = '';
    let met: Omit<Visit, 'said'> | undefined;
    socket.on('secureConnect', () => {
      const shown = socket.getPeerX509Certificate();
      const digest = shown?.publicKey.export({ type: 'spki', format: 'der' }) ?? Buffer.alloc(0);
      met = {
        authorized: socket.authorized,
        spki: digest.toString('base64'),
        protocol: socket.getProtocol(),
        resumed: socket.isSessionReused(),
      };
    });
    socket.on('data', (piece: Buffer) => (said += piece.toString()));
    socket.on('error', reject);
    socket.on('close', () =>
      met === undefined ? reject(new Error('The door was shut before the handshake.')) : resolve({ ...met, said }),
    );
  });
