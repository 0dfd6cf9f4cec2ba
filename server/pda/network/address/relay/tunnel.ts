import type { LookupFunction, Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import { isLocalDomain } from '../../../../platform/tunnel/address.ts';
import { createLink } from '../../../../platform/tunnel/client.ts';
import type { Timers } from '../../../../platform/tunnel/timers.ts';
import { createTlsEnd, type TlsEnd } from '../certificates/tls-terminator.ts';
import type { Way } from '../settings.ts';
import type { Tunnel } from '../transport/tunnel.ts';
import type { Certificates, CreateCertificates } from '../service.ts';

export type RelayTunnelParts = {
  way: Extract<Way, { way: 'tunnel' }>;
  name: string;
  /** Scheme and host. */
  url: string;
  /** The home folder. */
  home: string;
  keys: () => readonly SigningKey[];
  /** Takes a visitor in. */
  take: (socket: Socket, address: string) => void;
  lookup: LookupFunction;
  trust: readonly string[] | undefined;
  /** The same as one text (PEM). */
  trustText: string | undefined;
  createCertificates: CreateCertificates | undefined;
  clock: Clock;
  timers: Timers;
  log: Log;
  random: () => number;
  onChange: () => void;
};

/** Where certificates come from, unless config.json says otherwise. */
const AUTHORITY = 'https://acme-v02.api.letsencrypt.org/directory';

type Tls = { certificates: Certificates; end: TlsEnd; ignore: () => void };

/** A name at a relay: the connections to it, and the TLS that visitors meet at their end. */
export const createRelayTunnel = async (parts: RelayTunnelParts): Promise<Tunnel> => {
  const { way, url, onChange } = parts;
  /** Where those are from whose TLS ends here. */
  const addresses = new WeakMap<Socket, string>();
  const { hostname, host } = new URL(url);

  let isUp = false;
  const secure = async (): Promise<Tls> => {
    // With the libraries for X.509 this takes 6 MB, and only a PDA with a name at a relay needs it.
    const create = parts.createCertificates ?? (await import('../certificates/manager.ts')).createCertificates;
    const certificates = create({
      folder: join(parts.home, 'certificates'),
      host: hostname,
      directory: way.authority ?? AUTHORITY,
      clock: parts.clock,
      log: parts.log,
      ...(parts.trustText === undefined ? {} : { trust: parts.trustText }),
      agreed: () => way.agreed,
      up: () => isUp,
    });
    const end = createTlsEnd({
      certificates,
      host: hostname,
      log: parts.log,
      onConnection: (socket, raw) => parts.take(socket, addresses.get(raw) ?? ''),
    });
    certificates.start();
    return { certificates, end, ignore: certificates.onChange(onChange) };
  };
  // Only where the name leads to this machine itself is there nobody in between.
  const tls = isLocalDomain(way.domain) ? undefined : await secure();

  const changed = (): void => {
    const before = isUp;
    isUp = link.view().phase === 'up';
    // The authority comes by way of the tunnel.
    if (isUp && !before) tls?.certificates.wake();
    onChange();
  };
  const newLink = () =>
    createLink({
      ...parts,
      relay: new URL(way.relay),
      address: host,
      onVisit(socket, visit) {
        if (tls === undefined) parts.take(socket, visit.address);
        else {
          addresses.set(socket, visit.address);
          tls.end.take(socket, visit.address);
        }
      },
      onChange: changed,
    });
  let link = newLink();
  let isOpen = false;

  const close = async (ms: number): Promise<void> => {
    isOpen = false;
    isUp = false;
    const closing = link.close(ms);
    tls?.end.close();
    await closing;
  };

  return {
    status: () => ({ ...link.view(), certificate: tls?.certificates.view() }),
    spki: tls === undefined ? undefined : () => tls.certificates.spki(),
    terms: () => tls?.certificates.terms() ?? Promise.resolve(null),
    wake() {
      if (!isOpen) return;
      link.wake();
      tls?.certificates.wake();
    },
    open() {
      if (!isOpen) {
        isOpen = true;
        link = newLink();
        link.start();
      }
      return Promise.resolve();
    },
    close,
    async dispose(ms) {
      await close(ms);
      tls?.ignore();
      await tls?.certificates.close();
    },
  };
};
