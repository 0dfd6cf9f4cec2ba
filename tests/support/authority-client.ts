import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { expect } from 'vitest';
import {
  createCertificateManager,
  type CertificateParts,
} from '../../server/pda/network/address/certificates/manager.ts';
import {
  createTlsTerminator,
  type TlsTerminator,
  type TlsTerminatorParts,
} from '../../server/pda/network/address/certificates/tls-terminator.ts';
import type { CertificateManager } from '../../server/pda/network/address/service.ts';
import { silentLog } from '../../server/platform/log.ts';
import { openAuthority, type Authority } from './authority.ts';

// The certificate manager of a PDA as a client of the test authority, with a TLS endpoint on loopback.

export const HOST = 'alice.pda.example';
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Milliseconds within which a state must be reached, even on a busy machine. */
const STATE_TIMEOUT_MS = 120_000;
/** Limit for the completion of an order. Only hanging tests reach it, even on a slow machine. */
export const ORDER_TIMEOUT_MS = 600_000;

/**
 * Trusts only one of the default certificate authorities, because reading all of them for each handshake dominates
 * the run time.
 * @returns a function that restores the others
 */
export const trustOneAuthority = (): (() => void) => {
  const defaultAuthorities = getCACertificates('default');
  setDefaultCACertificates(defaultAuthorities.slice(0, 1));
  return () => setDefaultCACertificates(defaultAuthorities);
};

const closers: (() => Promise<void> | void)[] = [];

/** Closes everything that a test opened, in reverse order. */
export const closeFixtures = async (): Promise<void> => {
  for (const close of closers.splice(0).toReversed()) await close();
};

const newCertificateFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-certificates-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'certificates');
};

type TlsEndpoint = { port: number; terminator: TlsTerminator; server: Server; sockets: Set<Socket> };

/** Starts a server on loopback that terminates TLS. */
export const openTlsEndpoint = async (
  overrides: Pick<TlsTerminatorParts, 'certificates'> & Partial<TlsTerminatorParts>,
): Promise<TlsEndpoint> => {
  const sockets = new Set<Socket>();
  const terminator = createTlsTerminator({
    host: HOST,
    log: silentLog(),
    onConnection: (socket) => {
      socket.on('error', () => undefined);
      socket.end('hello from the PDA');
    },
    ...overrides,
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    terminator.accept(socket, socket.remoteAddress ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    terminator.close();
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.address() as AddressInfo).port, terminator, server, sockets };
};

export type CertificateFixture = {
  authority: Authority;
  folder: string;
  /**
   * Milliseconds by which the clock of the PDA is ahead of the authority's. Both clocks stand still, so that nothing
   * becomes due while a slow test runs.
   */
  clockAheadMs: number;
  now(): number;
  /** Port at which the authority reaches the host. */
  port: number;
  /** Starts the certificate manager of a PDA with the files in the folder. Stops the running one first. */
  startPda(overrides?: Partial<CertificateParts>): Promise<CertificateManager>;
};

/** Starts a certificate authority and prepares a folder for the certificates of a PDA. */
export const openCertificateFixture = async (): Promise<CertificateFixture> => {
  let runningPda: CertificateManager | undefined;
  const openedAt = Date.now();
  const authority = await openAuthority(
    () => ({ host: '127.0.0.1', port: fixture.port }),
    () => openedAt,
  );
  closers.push(() => authority.close());
  const fixture: CertificateFixture = {
    authority,
    folder: newCertificateFolder(),
    clockAheadMs: 0,
    port: 0,
    now: () => openedAt + fixture.clockAheadMs,
    async startPda(overrides = {}) {
      await runningPda?.close();
      const certificates = createCertificateManager({
        folder: fixture.folder,
        host: HOST,
        directory: authority.url,
        clock: { now: fixture.now },
        log: silentLog(),
        trust: authority.rootPem,
        hasAgreed: () => true,
        polling: { intervalMs: 10, timeoutMs: ORDER_TIMEOUT_MS },
        random: () => 1,
        ...overrides,
      });
      runningPda = certificates;
      closers.push(() => certificates.close());
      fixture.port = (await openTlsEndpoint({ certificates })).port;
      certificates.start();
      certificates.wake();
      return certificates;
    },
  };
  return fixture;
};

/** Waits until the view has matched `expectedState`, even if only briefly. Fails with the current view on timeout. */
export const waitForState = async (certificates: CertificateManager, expectedState: object): Promise<void> => {
  const matcher = expect.objectContaining(expectedState) as { asymmetricMatch(other: unknown): boolean };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const check = (): void => {
    if (matcher.asymmetricMatch(certificates.view())) resolve(true);
  };
  const stop = certificates.onChange(check);
  // Changes that only depend on the clock trigger no event.
  const poll = setInterval(check, 25);
  const timeout = setTimeout(() => resolve(false), STATE_TIMEOUT_MS);
  check();
  const isReached = await promise;
  stop();
  clearInterval(poll);
  clearTimeout(timeout);
  if (!isReached) expect(certificates.view()).toMatchObject(expectedState);
};

type TlsClientReport = {
  isAuthorized: boolean;
  greeting: string;
  /** Public key of the certificate, in base64. */
  spki: string;
  protocol: string | null;
  isResumed: boolean;
};

/** Connects as a client and resolves when the connection is closed. Rejects if the connection or handshake fails. */
export const connectTls = (
  port: number,
  options: {
    /** Trusted root certificates, in PEM; the default ones if undefined. */
    trust?: string;
    servername?: string;
    protocols?: string[];
    localAddress?: string;
    onSocket?: (socket: TLSSocket) => void;
    session?: Buffer | undefined;
    maxVersion?: 'TLSv1.2' | 'TLSv1.1';
  } = {},
): Promise<TlsClientReport> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
      servername: options.servername ?? HOST,
      ALPNProtocols: options.protocols ?? ['http/1.1'],
      rejectUnauthorized: false,
      ...(options.trust === undefined ? {} : { ca: options.trust }),
      ...(options.session === undefined ? {} : { session: options.session }),
      ...(options.maxVersion === undefined ? {} : { maxVersion: options.maxVersion, minVersion: 'TLSv1' as const }),
      ...(options.maxVersion === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    });
    options.onSocket?.(socket);
    let text = '';
    let handshake: Omit<TlsClientReport, 'greeting'> | undefined;
    socket.on('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      const publicKey = certificate?.publicKey.export({ type: 'spki', format: 'der' }) ?? Buffer.alloc(0);
      handshake = {
        isAuthorized: socket.authorized,
        spki: publicKey.toString('base64'),
        protocol: socket.getProtocol(),
        isResumed: socket.isSessionReused(),
      };
    });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () =>
      handshake === undefined
        ? reject(new Error('The connection was closed before the handshake.'))
        : resolve({ ...handshake, greeting: text }),
    );
  });
