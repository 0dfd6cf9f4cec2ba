import { createHash, randomBytes, type X509Certificate } from 'node:crypto';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isoTime, type Clock } from '../../platform/clock.ts';
import type { Probe } from '../../wire/exposure.ts';

/** Tries to reach this PDA by its public address, as a stranger would. */

/** On a request of ours to ourselves: a word that nobody else can know. */
export const PROBE_HEADER = 'x-pda-probe';

export type ProbeTarget = {
  url: string;
  /** SHA-256 (base64) of the public key that has to be shown; undefined: TLS does not end here. */
  spki: (() => string | undefined) | undefined;
  /** Milliseconds for all of it. */
  ms: number;
};

export type Found = Probe & { impostor: boolean };

export type ProbeParts = {
  lookup: LookupFunction;
  trust: readonly string[] | undefined;
  clock: Clock;
};

export const PROBE_MS = 10_000;

const spkiOf = (certificate: X509Certificate): string =>
  createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

class Impostor extends Error {}

const IMPOSTOR =
  'Somebody else answers under the address of this PDA: what answers does not have the key of its certificate.';

const UNTRUSTED: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not good yet, by the clock of this computer.',
  CERT_REVOKED: 'The certificate was revoked.',
};

export const createProbe = ({ lookup, trust, clock }: ProbeParts) => {
  /** The words of tries that are under way, and whether each has come back to us. */
  const words = new Map<string, { seen: boolean }>();

  const secure = async (url: URL, spki: ProbeTarget['spki'], signal: AbortSignal): Promise<Socket> => {
    const { connect } = await import('node:tls');
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
        const shown = certificate === undefined ? undefined : spkiOf(certificate);
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

  const ask = async (url: URL, { spki, ms }: ProbeTarget, text: string): Promise<number> => {
    const signal = AbortSignal.timeout(ms);
    const socket: Duplex | undefined = url.protocol === 'https:' ? await secure(url, spki, signal) : undefined;
    const { request } = await import('node:http');
    const options: RequestOptions = {
      lookup,
      signal,
      headers: { host: url.host, [PROBE_HEADER]: text, connection: 'close' },
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
    isOurs(given: string | string[] | undefined): boolean {
      const word = typeof given === 'string' ? words.get(given) : undefined;
      if (word === undefined) return false;
      word.seen = true;
      return true;
    },

    /** Never throws. */
    async run(target: ProbeTarget): Promise<Found> {
      const text = randomBytes(24).toString('base64url');
      const mine = { seen: false };
      words.set(text, mine);
      const url = new URL(target.url);
      const begun = performance.now();
      const found = (reached: boolean, problem: string | null, impostor = false): Found => ({
        at: isoTime(clock.now()),
        reached,
        ms: Math.round(performance.now() - begun),
        problem,
        impostor,
      });
      try {
        const status = await ask(url, target, text);
        if (status === 200 && mine.seen) return found(true, null);
        return found(false, problemOf(status, url), status === 200);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return found(false, error instanceof Impostor ? why : `Nobody answered: ${why}.`, error instanceof Impostor);
      } finally {
        words.delete(text);
      }
    },
  };
};

export type Prober = ReturnType<typeof createProbe>;
