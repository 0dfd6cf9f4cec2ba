import { constants, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type SecureContext, type TLSSocket } from 'node:tls';
import { wideAddressGroup } from '../../../../platform/limits/address-group.ts';
import { createFairAdmission } from '../../../../platform/limits/fair-admission.ts';
import type { Log } from '../../../../platform/log.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Each handshake costs the server a signature, while starting one costs a client almost nothing. */
const HANDSHAKES_MAX = 64;
/** Session ticket keys are replaced for forward secrecy of resumed sessions. */
const TICKET_KEYS_LIFETIME_MS = 12 * 3_600_000;
const TICKET_KEYS_BYTES = 48;
/** AES-128 comes first, because it uses less power than AES-256. All suites have forward secrecy. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
].join(':');
/** ALPN protocol of ACME challenges (RFC 8737). */
const CHALLENGE_PROTOCOL = 'acme-tls/1';
const HTTP_PROTOCOL = 'http/1.1';

export type TlsTerminator = {
  /** Terminates TLS on a connection. Bytes that were already read must first be returned with `unshift`. */
  accept(socket: Socket, address: string): void;
  handshakeCount(): number;
  /** Ends the pending handshakes. Established connections stay open, and `accept` can be called again. */
  close(): void;
};

export type TlsTerminatorParts = {
  certificates: {
    context(serverName: string): SecureContext | undefined;
    challengeContext(serverName: string): SecureContext | undefined;
  };
  host: string;
  /** Called after a handshake with the certificate of the host. @param raw TCP connection of the TLS socket */
  onConnection(socket: TLSSocket, raw: Socket): void;
  log: Log;
  handshakeMs?: number;
  maxHandshakes?: number;
  ticketKeysMs?: number;
};

/** Returns an identifier that a TLS socket and its TCP connection share. Node has no API to get one from the other. */
const endpointsOf = (socket: Socket): string =>
  `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress} ${socket.localPort}`;

export const createTlsTerminator = (parts: TlsTerminatorParts): TlsTerminator => {
  const { certificates, log, handshakeMs = HANDSHAKE_TIMEOUT_MS, maxHandshakes = HANDSHAKES_MAX } = parts;
  const { ticketKeysMs = TICKET_KEYS_LIFETIME_MS } = parts;
  const host = parts.host.toLowerCase();
  const pending = new Map<string, { raw: Socket; timeout: NodeJS.Timeout }>();
  /** Pending handshakes. A network that fills the pool cannot keep others out. */
  const admission = createFairAdmission<Socket>({ max: maxHandshakes, onEvict: (raw) => raw.destroy() });
  let keysCreatedAt = performance.now();

  const challengeSockets = new WeakSet<TLSSocket>();

  // There is no default certificate, so a client that does not know the name of the host does not learn it.
  const server = createServer({
    minVersion: 'TLSv1.2',
    // Each renegotiation would cost another handshake on the same connection.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_PRIORITIZE_CHACHA,
    honorCipherOrder: true,
    ciphers: CIPHERS,
    handshakeTimeout: handshakeMs,
    ticketKeys: randomBytes(TICKET_KEYS_BYTES),
    // Called before SNICallback in TLS 1.3, after it in TLS 1.2.
    ALPNCallback(this: TLSSocket, { servername, protocols }) {
      if (servername.toLowerCase() !== host) return undefined;
      const challenge = certificates.challengeContext(host);
      if (challenge !== undefined && protocols.includes(CHALLENGE_PROTOCOL)) {
        challengeSockets.add(this);
        this.setKeyCert(challenge);
        return CHALLENGE_PROTOCOL;
      }
      return certificates.context(host) !== undefined && protocols.includes(HTTP_PROTOCOL) ? HTTP_PROTOCOL : undefined;
    },
    SNICallback(this: TLSSocket, name, done) {
      if (challengeSockets.has(this)) {
        done(null);
        return;
      }
      // TLS 1.2 selects the cipher by this certificate. Before the first issuance, only the challenge certificate
      // exists.
      const context =
        name.toLowerCase() === host ? (certificates.context(host) ?? certificates.challengeContext(host)) : undefined;
      if (context === undefined) done(new Error('There is no certificate for this name.'));
      else done(null, context);
    },
  });
  server.on('tlsClientError', (error, socket) => {
    log.debug({ reason: error.message }, 'TLS handshake failed');
    socket.destroy();
  });
  server.on('secureConnection', (socket) => {
    const endpoints = endpointsOf(socket);
    const handshake = pending.get(endpoints);
    if (handshake === undefined) {
      socket.destroy();
      return;
    }
    // An authority needs only the challenge certificate, which a client without ALPN may have received, too. `end`
    // sends the last bytes of a TLS 1.2 handshake. If the client does not close the connection, the timeout does.
    if (challengeSockets.has(socket) || certificates.context(host) === undefined) {
      socket.on('error', () => undefined);
      socket.resume().end();
      return;
    }
    clearTimeout(handshake.timeout);
    pending.delete(endpoints);
    admission.release(handshake.raw);
    parts.onConnection(socket, handshake.raw);
  });

  return {
    accept(raw, address) {
      // The TLS socket reports connection errors.
      raw.on('error', () => undefined);
      const endpoints = endpointsOf(raw);
      if (raw.destroyed || raw.remotePort === undefined || !admission.admit(wideAddressGroup(address), raw)) {
        raw.destroy();
        return;
      }
      if (performance.now() - keysCreatedAt > ticketKeysMs) {
        keysCreatedAt = performance.now();
        server.setTicketKeys(randomBytes(TICKET_KEYS_BYTES));
      }
      // Received bytes do not extend this deadline.
      const timeout = setTimeout(() => raw.destroy(), handshakeMs);
      pending.set(endpoints, { raw, timeout });
      raw.once('close', () => {
        clearTimeout(timeout);
        admission.release(raw);
        if (pending.get(endpoints)?.raw === raw) pending.delete(endpoints);
      });
      server.emit('connection', raw);
    },
    handshakeCount: admission.size,
    close() {
      for (const { raw } of pending.values()) raw.destroy();
      pending.clear();
    },
  };
};
