import { constants, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type SecureContext, type TLSSocket } from 'node:tls';
import { wideAddressGroup } from '../../../../platform/limits/address-group.ts';
import { createFairShare } from '../../../../platform/limits/fair-admission.ts';
import type { Log } from '../../../../platform/log.ts';

/**
 * Where TLS from outside ends. What comes in are connections of which nobody has said who they are; what goes on is TLS under our host's name, and
 * nothing else.
 */

/** Milliseconds from the connection to the end of its handshake. */
const HANDSHAKE_MS = 10_000;
/** Handshakes at once: each costs a signature, and who begins many of them has done nothing for it. */
const MOST_HANDSHAKES = 64;
/** Milliseconds after which the key is forgotten by which a ticket, and what was said under it, could be read. */
const TICKET_KEYS_MS = 12 * 3_600_000;
const TICKET_KEYS_BYTES = 48;
/**
 * The shorter key first: it is as safe for a lifetime, and what a laptop sends costs less of its battery. Phones that reckon it slowly say so, and get
 * ChaCha20. All agree on a key that nobody can find out later.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
].join(':');
/** By this an authority asks for its challenge (RFC 8737), everybody else for pages. */
const CHALLENGE_PROTOCOL = 'acme-tls/1';
const PAGES_PROTOCOL = 'http/1.1';

export type TlsEnd = {
  /** Ends TLS on a connection from this address. Bytes of it that were read already are put back before, with `unshift`. */
  take(socket: Socket, address: string): void;
  /** Connections that are shaking hands now. */
  handshakes(): number;
  /** Ends those. Connections that were given on are no longer ours. */
  close(): void;
};

export type TlsEndParts = {
  certificates: {
    context(serverName: string): SecureContext | undefined;
    challengeContext(serverName: string): SecureContext | undefined;
  };
  host: string;
  /** A visitor who has shaken hands, and the connection on which they came. */
  onConnection(socket: TLSSocket, raw: Socket): void;
  log: Log;
  handshakeMs?: number;
  mostHandshakes?: number;
  ticketKeysMs?: number;
};

/** The same for a connection and for the TLS on it: there is no other public way from one to the other. */
const endsOf = (socket: Socket): string =>
  `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress} ${socket.localPort}`;

export const createTlsEnd = (parts: TlsEndParts): TlsEnd => {
  const { certificates, log, handshakeMs = HANDSHAKE_MS, mostHandshakes = MOST_HANDSHAKES } = parts;
  const { ticketKeysMs = TICKET_KEYS_MS } = parts;
  const host = parts.host.toLowerCase();
  /** Connections that are shaking hands, by their ends, each with what ends it when it is late. */
  const shaking = new Map<string, { raw: Socket; late: NodeJS.Timeout }>();
  /** The same, by where they come from: one stranger who never comes to an end keeps nobody else out. */
  const share = createFairShare<Socket>({ most: mostHandshakes, drop: (raw) => raw.destroy() });
  let keysMade = performance.now();

  /** Connections on which an authority asks for its challenge. */
  const challenged = new WeakSet<TLSSocket>();

  // Without a certificate of its own: who names no host, or another one, is told nothing, not even whose door this is.
  const server = createServer({
    minVersion: 'TLSv1.2',
    // One handshake to a connection: each further one would be work for nothing.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_PRIORITIZE_CHACHA,
    honorCipherOrder: true,
    ciphers: CIPHERS,
    handshakeTimeout: handshakeMs,
    ticketKeys: randomBytes(TICKET_KEYS_BYTES),
    // TLS 1.3 calls this before SNICallback, TLS 1.2 after it.
    ALPNCallback(this: TLSSocket, { servername, protocols }) {
      if (servername.toLowerCase() !== host) return undefined;
      const challenge = certificates.challengeContext(host);
      if (challenge !== undefined && protocols.includes(CHALLENGE_PROTOCOL)) {
        challenged.add(this);
        this.setKeyCert(challenge);
        return CHALLENGE_PROTOCOL;
      }
      return certificates.context(host) !== undefined && protocols.includes(PAGES_PROTOCOL)
        ? PAGES_PROTOCOL
        : undefined;
    },
    SNICallback(this: TLSSocket, name, done) {
      if (challenged.has(this)) {
        done(null);
        return;
      }
      // TLS 1.2 chooses a cipher by this certificate. Before the first one there is only that of the challenge.
      const context =
        name.toLowerCase() === host ? (certificates.context(host) ?? certificates.challengeContext(host)) : undefined;
      if (context === undefined) done(new Error('There is no certificate for this name.'));
      else done(null, context);
    },
  });
  // Scanners and broken lines: nothing that an owner should read of.
  server.on('tlsClientError', (error, socket) => {
    log.debug({ reason: error.message }, 'a visitor did not shake hands');
    socket.destroy();
  });
  server.on('secureConnection', (socket) => {
    const ends = endsOf(socket);
    const found = shaking.get(ends);
    if (found === undefined) {
      socket.destroy();
      return;
    }
    // For an authority the certificate was the whole answer. A client without ALPN may have been shown that one too. `end` lets the last bytes
    // of a TLS 1.2 handshake leave; whoever does not close then is late.
    if (challenged.has(socket) || certificates.context(host) === undefined) {
      socket.on('error', () => undefined);
      socket.resume().end();
      return;
    }
    clearTimeout(found.late);
    shaking.delete(ends);
    share.leave(found.raw);
    parts.onConnection(socket, found.raw);
  });

  return {
    take(raw, address) {
      // A connection that breaks is its visitor's affair; the TLS on it hears of it by itself.
      raw.on('error', () => undefined);
      const ends = endsOf(raw);
      if (raw.destroyed || raw.remotePort === undefined || !share.enter(wideAddressGroup(address), raw)) {
        raw.destroy();
        return;
      }
      if (performance.now() - keysMade > ticketKeysMs) {
        keysMade = performance.now();
        server.setTicketKeys(randomBytes(TICKET_KEYS_BYTES));
      }
      // A drip of bytes moves the deadline no further.
      const late = setTimeout(() => raw.destroy(), handshakeMs);
      shaking.set(ends, { raw, late });
      raw.once('close', () => {
        clearTimeout(late);
        share.leave(raw);
        if (shaking.get(ends)?.raw === raw) shaking.delete(ends);
      });
      server.emit('connection', raw);
    },
    handshakes: share.size,
    close() {
      for (const { raw } of shaking.values()) raw.destroy();
      shaking.clear();
    },
  };
};
