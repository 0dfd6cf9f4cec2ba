import { request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:tls';
import { randomBytes } from 'node:crypto';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { spkiHash } from '../../../../platform/auth/signing-keys.ts';
import type { Probe } from '../../../../wire/exposure.ts';
import { messageOf } from '../../../../wire/values.ts';

/** Tries to reach this PDA by its public address, as a stranger would. */

/** On a request of ours to ourselves: a word that nobody else can know. */
export const PROBE_HEADER = 'x-pda-probe';

export type ProbeTarget = {
  url: string;
  /** SHA-256 (base64) of the public key that has to be shown; undefined: TLS does not end here. */
  spki: (() => string | undefined) | undefined;
  /** Host by which the owner calls at this machine: the probe sends it once and must be refused. Undefined: no forwarder can lead there. */
  loopbackHost: string | undefined;
  /** Where the owner's proxy has to point. */
  publicListenerUrl: string | undefined;
  /** Milliseconds for all of it. */
  ms: number;
};

export type Found = Probe & { impostor: boolean };

/** Where a request of a probe arrived: where visitors should, on the machine's own port by the public host, or there as the owner would. */
export type ProbeArrival = 'publicPort' | 'ownPort' | 'loopbackHost';

export type ProbeParts = {
  lookup: LookupFunction;
  trust: readonly string[] | undefined;
  clock: Clock;
};

export const PROBE_MS = 10_000;

class Impostor extends Error {}

const IMPOSTOR =
  'Somebody else answers under the address of this PDA: what answers does not have the key of its certificate.';

const UNTRUSTED: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not good yet, by the clock of this computer.',
  CERT_REVOKED: 'The certificate was revoked.',
};

export const createProbe = ({ lookup, trust, clock }: ProbeParts) => {
  /** The secrets of probes that are under way, and where requests with them arrived. */
  const words = new Map<string, Set<ProbeArrival>>();

  const secure = async (url: URL, spki: ProbeTarget['spki'], signal: AbortSignal): Promise<Socket> => {
    const before = spki?.();
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: url.hostname.replace(/^\[|\]$/gu, ''),
        port: Number(url.port === '' ? 443 : url.port),
        servername: url.hostname,
        lookup,
        ALPNProtocols: ['http/1.1'],
        // Looked at below: who answers matters before who vouches for them.
        rejectUnauthorized: false,
        ...(trust === undefined ? {} : { ca: [...trust] }),
      });
      signal.addEventListener('abort', () => socket.destroy(new Error('there was no answer in time')));
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        const certificate = socket.getPeerX509Certificate();
        const shown = certificate === undefined ? undefined : spkiHash(certificate.publicKey, 'base64');
        // A certificate that was renewed meanwhile is ours too.
        const isOther = spki !== undefined && shown !== before && shown !== spki();
        const problem = String(socket.authorizationError);
        if (isOther) socket.destroy(new Impostor(IMPOSTOR));
        else if (!socket.authorized)
          socket.destroy(new Error(UNTRUSTED[problem] ?? `the certificate is not trusted: ${problem}`));
        else resolve(socket);
      });
    });
  };

  const ask = async (url: URL, { spki, ms }: ProbeTarget, text: string, host = url.host): Promise<number> => {
    const signal = AbortSignal.timeout(ms);
    const socket: Duplex | undefined = url.protocol === 'https:' ? await secure(url, spki, signal) : undefined;
    const options: RequestOptions = {
      lookup,
      signal,
      headers: { host, [PROBE_HEADER]: text, connection: 'close' },
      ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
    };
    return new Promise((resolve, reject) => {
      const onAnswer = (incoming: IncomingMessage): void => {
        // Only the status is wanted, however long the rest is.
        incoming.destroy();
        socket?.destroy();
        resolve(incoming.statusCode ?? 0);
      };
      const outgoing: ClientRequest = request(`http://${url.host}/healthz`, options, onAnswer);
      outgoing.on('error', reject);
      outgoing.end();
    });
  };

  const problemOf = (status: number, url: URL): string => {
    if (status === 200) return 'Somebody else answers under the address of this PDA: the call did not come here.';
    if (status === 503) return `${url.host} answers that this PDA is offline.`;
    return `${url.host} answered ${status}, and the call did not come here.`;
  };

  return {
    /** Whether this is the request of a try that is under way. */
    isOurs(given: string | string[] | undefined, arrival: ProbeArrival): boolean {
      const arrivals = typeof given === 'string' ? words.get(given) : undefined;
      arrivals?.add(arrival);
      return arrivals !== undefined;
    },

    /** Never throws. */
    async run(target: ProbeTarget): Promise<Found> {
      const text = randomBytes(24).toString('base64url');
      const arrivals = new Set<ProbeArrival>();
      words.set(text, arrivals);
      const url = new URL(target.url);
      const begun = performance.now();
      const found = (reached: boolean, problem: string | null, impostor = false): Found => ({
        at: isoTime(clock.now()),
        reached,
        ms: Math.round(performance.now() - begun),
        problem,
        localAccess: arrivals.has('loopbackHost'),
        impostor,
      });
      const { loopbackHost, publicListenerUrl } = target;
      // What counts is whether it arrived here: an error and a foreign answer are both fine.
      const local =
        loopbackHost === undefined ? undefined : ask(url, target, text, loopbackHost).catch(() => undefined);
      try {
        const status = await ask(url, target, text);
        await local;
        if (status === 200 && arrivals.has('publicPort')) return found(true, null);
        if (arrivals.has('ownPort'))
          return found(
            false,
            `The proxy points at the port of this computer itself. Point it at ${publicListenerUrl}.`,
          );
        return found(false, problemOf(status, url), status === 200);
      } catch (error) {
        await local;
        const why = messageOf(error);
        return found(false, error instanceof Impostor ? why : `Nobody answered: ${why}.`, error instanceof Impostor);
      } finally {
        words.delete(text);
      }
    },
  };
};

export type Prober = ReturnType<typeof createProbe>;
