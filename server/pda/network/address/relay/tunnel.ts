import type { LookupFunction, Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import { isLocalDomain } from '../../../../platform/tunnel/address.ts';
import { createRelayClient } from '../../../../platform/tunnel/client.ts';
import type { Timers } from '../../../../platform/tunnel/timers.ts';
import { createTlsTerminator, type TlsTerminator } from '../certificates/tls-terminator.ts';
import type { AccessMode } from '../settings.ts';
import type { Tunnel } from '../transport/tunnel.ts';
import type { CertificateManager, CreateCertificateManager } from '../service.ts';

export type RelayTunnelParts = {
  mode: Extract<AccessMode, { way: 'tunnel' }>;
  name: string;
  url: string;
  home: string;
  keys: () => readonly SigningKey[];
  /** Receives a client's connection, decrypted if this PDA terminates TLS. */
  acceptConnection: (socket: Socket, address: string) => void;
  lookup: LookupFunction;
  trustedCertificates: readonly string[] | undefined;
  /** PEM certificates that are trusted in addition to the public authorities. */
  additionalAuthorities: string | undefined;
  createCertificateManager: CreateCertificateManager | undefined;
  clock: Clock;
  timers: Timers;
  log: Log;
  random: () => number;
  onChange: () => void;
};

/** Directory of Let's Encrypt. */
const DEFAULT_AUTHORITY = 'https://acme-v02.api.letsencrypt.org/directory';

type Tls = { certificates: CertificateManager; terminator: TlsTerminator; unsubscribe: () => void };

/** Creates a tunnel through a relay. Terminates TLS unless the domain is local. @throws file system errors */
export const createRelayTunnel = async (parts: RelayTunnelParts): Promise<Tunnel> => {
  const { mode, url, onChange } = parts;
  const addresses = new WeakMap<Socket, string>();
  const { hostname, host } = new URL(url);

  let isUp = false;
  const createTls = async (): Promise<Tls> => {
    // Loaded on demand: the X.509 libraries take 6 MB, and only a PDA with a name at a relay needs them.
    const create =
      parts.createCertificateManager ?? (await import('../certificates/manager.ts')).createCertificateManager;
    const certificates = create({
      folder: join(parts.home, 'certificates'),
      host: hostname,
      directory: mode.authority ?? DEFAULT_AUTHORITY,
      clock: parts.clock,
      log: parts.log,
      ...(parts.additionalAuthorities === undefined ? {} : { trust: parts.additionalAuthorities }),
      hasAgreed: () => mode.agreed,
      isReachable: () => isUp,
    });
    const terminator = createTlsTerminator({
      certificates,
      host: hostname,
      log: parts.log,
      onConnection: (socket, raw) => parts.acceptConnection(socket, addresses.get(raw) ?? ''),
    });
    certificates.start();
    return { certificates, terminator, unsubscribe: certificates.onChange(onChange) };
  };
  // A local domain leads directly to this computer, so it needs no TLS.
  const tls = isLocalDomain(mode.domain) ? undefined : await createTls();

  const onClientChange = (): void => {
    const wasUp = isUp;
    isUp = client.view().phase === 'up';
    // The authority validates the name through the tunnel.
    if (isUp && !wasUp) tls?.certificates.wake();
    onChange();
  };
  const createClient = () =>
    createRelayClient({
      ...parts,
      relay: new URL(mode.relay),
      address: host,
      onClient(socket, peer) {
        if (tls === undefined) parts.acceptConnection(socket, peer.address);
        else {
          addresses.set(socket, peer.address);
          tls.terminator.accept(socket, peer.address);
        }
      },
      onChange: onClientChange,
    });
  let client = createClient();
  let isOpen = false;

  const close = async (ms: number): Promise<void> => {
    isOpen = false;
    isUp = false;
    const closePromise = client.close(ms);
    tls?.terminator.close();
    await closePromise;
  };

  return {
    status: () => ({ ...client.view(), certificate: tls?.certificates.view() }),
    spki: tls === undefined ? undefined : () => tls.certificates.spki(),
    terms: () => tls?.certificates.terms() ?? Promise.resolve(null),
    wake() {
      if (!isOpen) return;
      client.wake();
      tls?.certificates.wake();
    },
    open() {
      if (!isOpen) {
        isOpen = true;
        client = createClient();
        client.start();
      }
      return Promise.resolve();
    },
    close,
    async dispose(ms) {
      await close(ms);
      tls?.unsubscribe();
      await tls?.certificates.close();
    },
  };
};
