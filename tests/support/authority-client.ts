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

/** The certificate manager of a PDA as a client of the test authority, with a TLS endpoint on loopback. */

export const HOST = 'alice.pda.example';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Milliseconds until a state must be reached, also on a busy machine. */
const REACHED_WITHIN_MS = 15_000;

/**
 * Trusts only one of the default certificate authorities, because reading all of them for each handshake dominates
 * the run time.
 * @returns a function that restores the others
 */
export const trustOneAuthority = (): (() => void) => {
  const all = getCACertificates('default');
  setDefaultCACertificates(all.slice(0, 1));
  return () => setDefaultCACertificates(all);
};

const open: (() => Promise<void> | void)[] = [];

/** Closes everything that a test opened, in reverse order. */
export const closeOpened = async (): Promise<void> => {
  for (const close of open.splice(0).toReversed()) await close();
};

export const newCertificateFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-certificates-'));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'certificates');
};

export type TlsEndpoint = { port: number; end: TlsTerminator; server: Server; sockets: Set<Socket> };

/** Terminates TLS on a separate port. */
export const openTlsEndpoint = async (
  parts: Pick<TlsTerminatorParts, 'certificates'> & Partial<TlsTerminatorParts>,
): Promise<TlsEndpoint> => {
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

export type CertificateFixture = {
  authority: Authority;
  folder: string;
  /** Milliseconds by which the clock of the PDA is ahead. */
  ahead: number;
  now(): number;
  /** Port at which the authority reaches the host. */
  port: number;
  /** Starts the PDA with the files in the folder. Stops a running one first. */
  begin(parts?: Partial<CertificateParts>): Promise<Certificates>;
};

export const openFixture = async (): Promise<CertificateFixture> => {
  let running: Certificates | undefined;
  const authority = await openAuthority(() => ({ host: '127.0.0.1', port: fixture.port }));
  open.push(() => authority.close());
  const fixture: CertificateFixture = {
    authority,
    folder: newCertificateFolder(),
    ahead: 0,
    port: 0,
    now: () => Date.now() + fixture.ahead,
    async begin(parts = {}) {
      await running?.close();
      const certificates = createCertificates({
        folder: fixture.folder,
        host: HOST,
        directory: authority.url,
        clock: { now: fixture.now },
        log: silentLog(),
        trust: authority.trust,
        agreed: () => true,
        polling: { intervalMs: 10, timeoutMs: 3000 },
        random: () => 1,
        ...parts,
      });
      running = certificates;
      open.push(() => certificates.close());
      fixture.port = (await openTlsEndpoint({ certificates })).port;
      certificates.start();
      certificates.wake();
      return certificates;
    },
  };
  return fixture;
};

/** Waits until the view matches `wanted`, even if only for a moment. Shows the actual view on timeout. */
export const waitForState = async (certificates: Certificates, expectedState: object): Promise<void> => {
  const like = expect.objectContaining(expectedState) as { asymmetricMatch(other: unknown): boolean };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const check = (): void => {
    if (like.asymmetricMatch(certificates.view())) resolve(true);
  };
  const stop = certificates.onChange(check);
  // Time-driven changes trigger no event, so poll for them.
  const poll = setInterval(check, 25);
  const timeout = setTimeout(() => resolve(false), REACHED_WITHIN_MS);
  check();
  const isReached = await promise;
  stop();
  clearInterval(poll);
  clearTimeout(timeout);
  if (!isReached) expect(certificates.view()).toMatchObject(expectedState);
};

export type Visit = { authorized: boolean; said: string; spki: string; protocol: string | null; resumed: boolean };

/** Connects as a client. Rejects if the handshake fails. */
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
    let output = '';
    let session: Omit<Visit, 'said'> | undefined;
    socket.on('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      const digest = certificate?.publicKey.export({ type: 'spki', format: 'der' }) ?? Buffer.alloc(0);
      session = {
        authorized: socket.authorized,
        spki: digest.toString('base64'),
        protocol: socket.getProtocol(),
        resumed: socket.isSessionReused(),
      };
    });
    socket.on('data', (chunk: Buffer) => (output += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () =>
      session === undefined
        ? reject(new Error('The connection was closed before the handshake.'))
        : resolve({ ...session, said: output }),
    );
  });
