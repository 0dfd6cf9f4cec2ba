import { request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:tls';
import { randomBytes } from 'node:crypto';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { hashSpki } from '../../../../platform/auth/signing-keys.ts';
import { proxyInstruction } from '../rules.ts';
import type { Probe } from '../../../../wire/exposure.ts';
import { messageOf } from '../../../../wire/values.ts';

export const PROBE_HEADER = 'x-pda-probe';

export type ProbeTarget = {
  url: string;
  /** Returns the SHA-256 hash (base64) of the expected public key. Undefined if this PDA does not terminate TLS. */
  spki: (() => string | undefined) | undefined;
  /** Local host[:port] of this PDA. A proxy must not forward requests for this host. Undefined without a proxy. */
  loopbackHost: string | undefined;
  publicListenerUrl: string | undefined;
  timeoutMs: number;
};

export type ProbeResult = Probe & { impostor: boolean };

/**
 * Where a request of a probe arrived. `publicPort`: at the public port, through the tunnel, or at the owner's port if
 * the public host is a local one. `ownPort`: at the owner's port with a host that is not local. `loopbackHost`: at the
 * owner's port with a local host that is not the public one.
 */
export type ProbeArrival = 'publicPort' | 'ownPort' | 'loopbackHost';

export type ProberParts = {
  lookup: LookupFunction;
  /** PEM certificates of the trusted authorities; undefined for the default ones. */
  trust: readonly string[] | undefined;
  clock: Clock;
};

class ImpostorError extends Error {}

const WRONG_KEY =
  'Another server answers at the address of this PDA: it does not have the key of this PDA’s certificate.';

const CERTIFICATE_PROBLEMS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet according to the clock of this computer',
  CERT_REVOKED: 'the certificate was revoked',
};

export const createProber = ({ lookup, trust, clock }: ProberParts) => {
  const arrivalsBySecret = new Map<string, Set<ProbeArrival>>();

  const connectTls = async (url: URL, spki: ProbeTarget['spki'], signal: AbortSignal): Promise<Socket> => {
    const expectedSpki = spki?.();
    const hostname = url.hostname.replace(/^\[|\]$/gu, '');
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(url.port === '' ? 443 : url.port),
        // TLS has no server names for IP addresses (RFC 6066).
        servername: isIP(hostname) === 0 ? hostname : '',
        lookup,
        ALPNProtocols: ['http/1.1'],
        // Trust is checked below, after the key: a wrong key is the more important result.
        rejectUnauthorized: false,
        ...(trust === undefined ? {} : { ca: [...trust] }),
      });
      signal.addEventListener('abort', () => socket.destroy(new Error('the connection timed out')));
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        const certificate = socket.getPeerX509Certificate();
        const presentedSpki = certificate === undefined ? undefined : hashSpki(certificate.publicKey, 'base64');
        // The PDA may have renewed its certificate during the handshake.
        const isWrongKey = spki !== undefined && presentedSpki !== expectedSpki && presentedSpki !== spki();
        const problem = String(socket.authorizationError);
        if (isWrongKey) socket.destroy(new ImpostorError(WRONG_KEY));
        else if (!socket.authorized)
          socket.destroy(new Error(CERTIFICATE_PROBLEMS[problem] ?? `the certificate is not trusted: ${problem}`));
        else resolve(socket);
      });
    });
  };

  const requestStatus = async (
    url: URL,
    { spki, timeoutMs }: ProbeTarget,
    secret: string,
    host = url.host,
  ): Promise<number> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const socket: Duplex | undefined = url.protocol === 'https:' ? await connectTls(url, spki, signal) : undefined;
    const options: RequestOptions = {
      lookup,
      signal,
      headers: { host, [PROBE_HEADER]: secret, connection: 'close' },
      ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
    };
    return new Promise((resolve, reject) => {
      const onResponse = (response: IncomingMessage): void => {
        // Only the status is needed, and the body may be of any length.
        response.destroy();
        socket?.destroy();
        resolve(response.statusCode ?? 0);
      };
      const clientRequest: ClientRequest = request(`http://${url.host}/healthz`, options, onResponse);
      clientRequest.on('error', reject);
      clientRequest.end();
    });
  };

  const problemOf = (status: number, url: URL, hasArrived: boolean): string => {
    if (hasArrived) return `The request arrived here, but ${url.host} answered ${status}.`;
    if (status === 200) return 'Another server answers at the address of this PDA: the request did not arrive here.';
    if (status === 503) return `${url.host} reported that this PDA is offline.`;
    return `${url.host} answered ${status}, and the request did not arrive here.`;
  };

  return {
    recordArrival(secret: string | string[] | undefined, arrival: ProbeArrival): boolean {
      const arrivals = typeof secret === 'string' ? arrivalsBySecret.get(secret) : undefined;
      arrivals?.add(arrival);
      return arrivals !== undefined;
    },

    /** Never rejects: a failed request is a result with a problem. */
    async run(target: ProbeTarget): Promise<ProbeResult> {
      const secret = randomBytes(24).toString('base64url');
      const arrivals = new Set<ProbeArrival>();
      arrivalsBySecret.set(secret, arrivals);
      const url = new URL(target.url);
      const start = performance.now();
      const toResult = (reached: boolean, problem: string | null, impostor = false): ProbeResult => ({
        at: isoTime(clock.now()),
        reached,
        ms: Math.round(performance.now() - start),
        problem,
        localAccess: arrivals.has('loopbackHost'),
        impostor,
      });
      const { loopbackHost, publicListenerUrl } = target;
      // This request must not arrive at the owner's port. Its response or error does not matter.
      const localProbe =
        loopbackHost === undefined
          ? undefined
          : requestStatus(url, target, secret, loopbackHost).catch(() => undefined);
      try {
        const status = await requestStatus(url, target, secret);
        await localProbe;
        if (status === 200 && arrivals.has('publicPort')) return toResult(true, null);
        if (arrivals.has('ownPort'))
          return toResult(
            false,
            `The proxy points at the port that is meant for this computer. ${proxyInstruction(publicListenerUrl)}`,
          );
        return toResult(false, problemOf(status, url, arrivals.has('publicPort')), status === 200);
      } catch (error) {
        await localProbe;
        const reason = messageOf(error);
        const isImpostor = error instanceof ImpostorError;
        return toResult(false, isImpostor ? reason : `No response: ${reason}.`, isImpostor);
      } finally {
        arrivalsBySecret.delete(secret);
      }
    },
  };
};

export type Prober = ReturnType<typeof createProber>;
