import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { backoff, withJitter } from '../../../platform/async/backoff.ts';
import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { HttpServer } from '../../../platform/http/application.ts';
import type { ConnectionOrigin } from '../../../platform/http/listener.ts';
import type { Log } from '../../../platform/log.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { isLocalDomain, readerOf } from '../../../platform/tunnel/address.ts';
import type { Timers } from '../../../platform/tunnel/timers.ts';
import type { Exposure, ExposureState } from '../../../wire/exposure.ts';
import type { OwnerNote } from '../../identity/owner/service.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Prober, ProbeTarget } from './reachability/probe.ts';
import { createProver } from './reachability/monitor.ts';
import type { PublicListener } from './transport/public-listener.ts';
import { isShown, standingOf } from './rules.ts';
import type { ExposureService, From } from './service.ts';
import { addressOf, type ExposureSettings, type Way } from './settings.ts';
import type { Tunnel } from './transport/tunnel.ts';
import { addressesOf, watchSurroundings } from './reachability/environment-watch.ts';

export type WantedTunnel = {
  way: Exclude<Way, { way: 'none' }>;
  /** The owner's name, and scheme and host where they are known beforehand. */
  name: string;
  url: string | undefined;
  keys: () => readonly SigningKey[];
  /** Accepts a visitor's connection. */
  take: (socket: Socket, address: string) => void;
  onChange: () => void;
};

export type ExposureParts = {
  settings: ExposureSettings;
  /** What the owner goes by; undefined before there is one. */
  ownerName: () => string | undefined;
  keys: () => readonly SigningKey[];
  http: () => Pick<HttpServer, 'take' | 'outside' | 'cutOutside'>;
  /** Serves an address of the owner's own, and visitors of a localtunnel server; a relay needs none. */
  publicListener: Pick<PublicListener, 'url'>;
  hosts: { isLocal(host: string): boolean; loopback(): string | undefined };
  /** What the public address is from now on; undefined: there is none. */
  setAddress: (url: string | undefined) => void;
  /** It is another one than it was. */
  onAddress: () => void;
  /** Something that the owner is shown is different. */
  onChange: () => void;
  /** It is reachable now, and was not. */
  onReachable: () => void;
  note: (tx: Transaction, note: OwnerNote) => void;
  open: (session: string) => Exposure['open'];
  /** Loads what a way needs. */
  createTunnel: (wanted: WantedTunnel) => Promise<Tunnel>;
  createProber: () => Promise<Prober>;
  timers: Timers;
  clock: Clock;
  log: Log;
  random: () => number;
};

/** Milliseconds for a try, and for one that has to fail while the owner waits. */
const PROBE_MS = 10_000;
const DARK_PROBE_MS = 1000;
/** Milliseconds in which the relay is told that we are gone, before nobody waits for it any more. */
const GOODBYE_MS = 500;
/** Milliseconds until it is tried again by itself: that somebody answers in our place is looked at soon, and then less and less often. */
const PROBE_EVERY_MS = 900_000;
const PROBE_SOON_MS = 60_000;
/** While another server answers under the address, it is asked less and less often, down to once in an hour. */
const IMPOSTOR_PROBE_MAX_MS = 3_600_000;
/** Milliseconds to the first try of an address that this PDA does not keep up itself. */
const FIRST_PROBE_MS = 10_000;
/** Milliseconds that somebody waits for the tunnel to come up. */
const UP_MS = 5000;

const isoOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : isoTime(ms);

/** What is reached from outside, and whether: one machine from the owner's wish to what a stranger finds. */
export const createExposure = (parts: ExposureParts) => {
  const { settings, timers, clock, log, random, publicListener, hosts } = parts;
  let way: Way = settings.way();
  let url = addressOf(way, parts.ownerName());
  /** Of the address: asked for at every call. */
  let host: string | undefined;
  let dark = settings.darkSince() !== null;
  let tunnel: Tunnel | undefined;
  let isStarted = false;
  let isClosed = false;
  let turn = 0;
  let chain: Promise<unknown> = Promise.resolve();
  let stopWatch: (() => void) | undefined;
  let terms: string | null = null;
  let told: { state: ExposureState; since: number } | undefined;
  let suspicions = 0;
  const waiting = new Set<() => void>();

  const setAddress = (to: string | undefined): void => {
    url = to;
    host = to === undefined ? undefined : new URL(to).host.toLowerCase();
    parts.setAddress(to);
  };
  setAddress(url);

  /** Whether a proxy of the owner's leads here. A public URL that is an address of this machine is served on its own port. */
  const isForwarded = (): boolean => way.way === 'own' && host !== undefined && !hosts.isLocal(host);

  const target = (): Omit<ProbeTarget, 'ms'> | undefined =>
    url === undefined
      ? undefined
      : {
          url,
          spki: tunnel?.spki,
          loopbackHost: isForwarded() ? hosts.loopback() : undefined,
          publicListenerUrl: publicListener.url(),
        };

  const standing = () =>
    standingOf({
      way: way.way,
      hasAddress: url !== undefined,
      dark,
      impostor: way.way !== 'own' && prover.impostor(),
      tunnel: tunnel?.status(),
      probe: prover.current(),
    });

  /** The address of a localtunnel server is known once it has answered. */
  const takeAddress = (): void => {
    const address = tunnel?.status().address;
    if (address === undefined || address === url) return;
    setAddress(address);
    parts.onAddress();
  };

  const changed = (): void => {
    takeAddress();
    const { state } = standing();
    if (state !== told?.state) {
      const before = told?.state;
      told = { state, since: clock.now() };
      if (before !== undefined) log.info({ state }, 'reachable from outside');
      // Other programs of the owner, such as their proxy, may come up after this one.
      if (state === 'unproven' && isStarted) prover.later(way.way === 'own' ? FIRST_PROBE_MS : 0);
      if (state === 'reachable' || state === 'readable') parts.onReachable();
      if (state === 'connecting' || state === 'certificate' || state === 'refused') prover.outdated();
    }
    for (const look of waiting) look();
    parts.onChange();
  };

  const nextProbe = (ms: number): void => prover.later(withJitter(ms, random()));
  const isReady = (): boolean => {
    if (way.way === 'own') return true;
    const { phase, certificate } = tunnel?.status() ?? {};
    return phase === 'up' && (certificate === undefined || isShown(certificate.state));
  };
  /** Resolves when the tunnel is ready, or that takes too long. */
  const readyWithin = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        leave();
        waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isReady() || isClosed || tunnel?.status().phase === 'refused') done();
      };
      const leave = timers.after(ms, done);
      waiting.add(look);
      look();
    });

  const prover = createProver({
    prober: parts.createProber,
    target,
    timers,
    onDue() {
      if (isClosed || dark || url === undefined) return;
      void attempt().catch((error: unknown) => log.warn({ err: error }, 'the address could not be tried'));
    },
    onFound({ reached, impostor, problem, localAccess }) {
      if (localAccess)
        log.error({ url }, 'visitors of the public address can pass as the owner at this computer: change the proxy');
      if (dark || isClosed) return;
      suspicions = impostor ? suspicions + 1 : 0;
      if (impostor && way.way !== 'own') {
        log.error({ url, problem }, 'somebody else answers under the public address: the tunnel is closed');
        parts.http().cutOutside();
        void tunnel?.close(GOODBYE_MS);
      }
      // The package does not notice a connection that died without a word, and the server may have given the name away.
      if (!reached && told?.state === 'readable') tunnel?.wake();
      if (reached) nextProbe(PROBE_EVERY_MS);
      else
        prover.later(
          backoff(suspicions + 1, { firstMs: PROBE_SOON_MS, longestMs: IMPOSTOR_PROBE_MAX_MS, random: random() }),
        );
      changed();
    },
  });

  /** One try. After an impostor the tunnel is opened for it, and nobody else is let in. */
  const attempt = async (): Promise<void> => {
    if (way.way !== 'own' || tunnel?.status().phase === 'failed') await tunnel?.open();
    if (way.way !== 'own') {
      await readyWithin(UP_MS);
      if (!isReady()) {
        if (prover.impostor()) void tunnel?.close(GOODBYE_MS);
        nextProbe(PROBE_SOON_MS);
        return;
      }
    }
    if (!dark && url !== undefined) await prover.now(PROBE_MS);
  };

  const stopTunnel = async (ms: number): Promise<void> => {
    const before = tunnel;
    tunnel = undefined;
    stopWatch?.();
    stopWatch = undefined;
    await before?.dispose(ms);
  };

  const startTunnel = async (wanted: WantedTunnel['way'], name: string): Promise<void> => {
    const mine = turn;
    const made = await parts.createTunnel({
      way: wanted,
      name,
      url,
      keys: parts.keys,
      take: (socket, address) => parts.http().take(socket, address),
      onChange: () => {
        if (mine === turn && tunnel !== undefined) changed();
      },
    });
    if (mine !== turn || isClosed) {
      await made.dispose(0);
      return;
    }
    tunnel = made;
    stopWatch = watchSurroundings({
      clock,
      timers,
      addresses: () => addressesOf(networkInterfaces()),
      onChange(what) {
        log.info({ what }, 'this computer slept, or its network is another one');
        service.wake();
      },
    });
    await made.open();
    if (tunnel?.status().phase === 'failed') nextProbe(PROBE_SOON_MS);
    if (made.spki === undefined) return;
    // Nobody waits for it: the authority may be slow, or away.
    made.terms?.().then(
      (found) => {
        if (tunnel !== made) return;
        terms = found;
        changed();
      },
      (error: unknown) => log.info({ err: error }, 'the terms of the authority could not be read'),
    );
  };

  /** A public URL that is an address of this machine is served on its own port. Nobody is let in by a tunnel before there is an owner. */
  const needsTunnel = (wanted: Way): wanted is WantedTunnel['way'] =>
    wanted.way === 'own' ? isForwarded() : wanted.way !== 'none' && parts.ownerName() !== undefined;

  const apply = async (): Promise<void> => {
    if (isClosed) return;
    const wanted = settings.way();
    const name = parts.ownerName();
    const isSameWay = JSON.stringify(wanted) === JSON.stringify(way);
    const wantedUrl = wanted.way === 'localtunnel' && isSameWay ? url : addressOf(wanted, name);
    const wish = JSON.stringify([wanted, addressOf(wanted, name), dark]);
    if (wish === applied) return;
    applied = wish;
    turn += 1;
    const isOther = wantedUrl !== url;
    way = wanted;
    setAddress(wantedUrl);
    terms = null;
    if (isOther) parts.onAddress();
    if (!dark) prover.reset();
    await stopTunnel(GOODBYE_MS);
    // Connections by the address of before end with it.
    parts.http().cutOutside();
    if (isStarted && !dark && needsTunnel(way)) await startTunnel(way, name ?? '');
    changed();
  };
  let applied = '';
  /** One after the other: what is wanted last is what stands at the end. */
  const settle = (): Promise<void> => {
    const work = chain.then(apply);
    chain = work.catch((error: unknown) => log.error({ err: error }, 'the way out could not be set up'));
    return work;
  };

  const wrongPort = (): Failure =>
    new Failure(
      'misdirected_request',
      `This port serves this computer alone. Point the proxy at ${publicListener.url() ?? 'the port that Settings, Address names'}.`,
    );

  const noted =
    (action: OwnerNote['action'], { address }: From) =>
    (tx: Transaction): void =>
      parts.note(tx, { action, status: 200, reason: null, address });

  /** How often the owner went dark or light: what was wanted last is what stands. */
  let wishes = 0;

  const service: ExposureService = {
    view(session) {
      const { state, problem } = standing();
      const status = tunnel?.status();
      return {
        way: way.way,
        fixed: settings.fixed,
        address: url ?? null,
        relay: way.way === 'tunnel' ? way.relay : null,
        domain: way.way === 'tunnel' ? way.domain : null,
        name: parts.ownerName() ?? '',
        publicUrl: way.way === 'own' ? way.publicUrl : null,
        localtunnel:
          way.way === 'localtunnel'
            ? {
                host: way.host,
                subdomain: way.subdomain,
                readableBy: readerOf(way),
                passwordSignIn: way.passwordSignIn,
              }
            : null,
        publicListener: isForwarded() ? (publicListener.url() ?? null) : null,
        dark,
        darkSince: isoOrNull(settings.darkSince()),
        state,
        since: isoOrNull(told?.since),
        problem,
        nextTry: isoOrNull(status?.nextTry),
        tries: status?.tries ?? 0,
        visitors: parts.http().outside(),
        certificate: status?.certificate ?? null,
        probe: prover.last(),
        terms,
        termsWait: way.way === 'tunnel' && !way.agreed && !isLocalDomain(way.domain),
        open: parts.open(session),
      };
    },

    stand: () => ({
      state: standing().state,
      address: url ?? null,
      readableBy: way.way === 'localtunnel' ? readerOf(way) : null,
    }),

    // The server that ends TLS names its visitor.
    proxies: () => (way.way === 'localtunnel' ? 1 : 0),

    refusePassword(atHost) {
      if (way.way !== 'localtunnel' || way.passwordSignIn || atHost !== host) return;
      throw new Failure(
        'forbidden',
        `Passwords are refused by this address, because ${readerOf(way)} could read them. Sign in at the computer of this PDA, or allow it there in Settings, Address.`,
      );
    },

    wake() {
      prover.outdated();
      tunnel?.wake();
      if (prover.impostor()) prover.later(0);
    },

    async change(change, from) {
      await settings.change(change, noted('address-change', from));
      await settle();
    },

    async goDark(from) {
      // First of all, and also when nothing can be written any more.
      dark = true;
      prover.outdated();
      parts.http().cutOutside();
      void tunnel?.close(GOODBYE_MS);
      wishes += 1;
      const [, written] = await Promise.allSettled([settle(), settings.setDark(clock.now(), noted('go-dark', from))]);
      if (written.status === 'rejected') throw written.reason;
      if (url !== undefined) await prover.now(DARK_PROBE_MS);
      changed();
    },

    async goLight(from) {
      wishes += 1;
      const mine = wishes;
      await settings.setDark(null, noted('go-light', from));
      // Gone dark again meanwhile, which is what stands.
      if (mine !== wishes) return;
      dark = false;
      await settle();
    },

    async probe() {
      if (url === undefined) throw new Failure('wrong_state', 'There is no address from outside that could be tried.');
      if (dark) await prover.now(DARK_PROBE_MS);
      else {
        if (tunnel?.status().phase !== 'up') tunnel?.wake();
        await attempt();
      }
      changed();
    },
  };

  return {
    service,
    /**
     * Whether a request for this host is answered on a connection of this origin: hosts of this machine on its own port, and the public host on what
     * serves it. @throws Failure misdirected_request when a proxy points at the machine's own port
     */
    accepts(name: string, word: string | string[] | undefined, origin: ConnectionOrigin): boolean {
      if (origin === 'own') {
        const isLocal = hosts.isLocal(name);
        if (word !== undefined) prover.isOurs(word, isLocal ? 'loopbackHost' : 'ownPort');
        if (!isLocal && name === host && isForwarded() && !dark) throw wrongPort();
        return isLocal;
      }
      if (dark || name !== host) return false;
      if ((origin === 'tunnel') !== (way.way === 'tunnel')) return false;
      const isOurs = word !== undefined && prover.isOurs(word, 'publicPort');
      return isOurs || !(way.way !== 'own' && prover.impostor());
    },
    settle,
    start(): Promise<void> {
      isStarted = true;
      applied = '';
      return settle();
    },
    async close(): Promise<void> {
      isClosed = true;
      prover.close();
      for (const look of waiting) look();
      await chain;
      await stopTunnel(GOODBYE_MS);
    },
  };
};
