import { connect, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { SigningKey } from '../auth/tokens.ts';
import type { Visit } from './protocol.ts';
import { claimName, releaseName, type ClaimParts, type TunnelSession } from './name-claim.ts';
import { openWaitingConnection, type WaitingConnection } from './connection.ts';
import { MAX_DELAY_MS, reopenDelayMs, reconnectDelayMs } from './reconnect-backoff.ts';
import type { Timers } from './timers.ts';

/** Where the way to the relay stands. Times are Unix milliseconds. */
export type RelayClientStatus = {
  phase: 'connecting' | 'up' | 'refused';
  problem: string | null;
  /** Since it was up last. */
  tries: number;
  nextTry: number | null;
};

export type RelayClient = {
  view(): RelayClientStatus;
  start(): void;
  /** Something has changed on our side: what stands may be dead without a word, and what waits need not. */
  wake(): void;
  /** Lets no visitor in any more, and tells the relay, for so many milliseconds at most. Who is in stays in. */
  close(ms: number): Promise<void>;
};

export type RelayClientParts = ClaimParts & {
  /** The key of this PDA, the current one first. */
  keys: () => readonly SigningKey[];
  onVisit: (socket: Socket, visit: Visit) => void;
  onChange: () => void;
  timers: Timers;
  clock: Clock;
  log: Log;
  /** From 0 to 1. */
  random: () => number;
};

/** Connections that wait for a visitor. */
const WAITING = 4;
/** Connections of all kinds, however many the relay would take. */
const MOST = 100;
/** Milliseconds after which a session counts as one that holds, and a connection as one that was not dropped at once. */
const STEADY_MS = 30_000;
const LASTED_MS = 10_000;
/** Milliseconds between two wakings that count. */
const WAKE_EVERY_MS = 2000;

/** Holds a name at a relay: a claim, and connections that wait, again and again for as long as it is wanted. */
export const createRelayClient = (parts: RelayClientParts): RelayClient => {
  const { relay, timers, clock, log, random } = parts;
  let phase: RelayClientStatus['phase'] = 'connecting';
  let problem: string | null = null;
  let tries = 0;
  let failures = 0;
  let goneSince = clock.now();
  let nextAt: number | null = null;
  let leaveTry: () => void = () => undefined;
  let isTrying = false;
  let isClosed = false;
  let woken = Number.NEGATIVE_INFINITY;
  /** Which of our keys is shown: after a change of keys the relay may know the one before. */
  let keyIndex = 0;
  let current: OpenSession | undefined;

  type OpenSession = TunnelSession & {
    upSince: number | undefined;
    counter: number;
    waiting: Map<WaitingConnection, { isReady: boolean }>;
    visiting: number;
    lineFailures: number;
    leaveRefill: () => void;
  };

  type Ended = { line: WaitingConnection; opened: number; text: string; isTaken: boolean };

  const key = (): SigningKey | undefined => {
    const keys = parts.keys();
    return keys[keyIndex % Math.max(1, keys.length)];
  };

  const schedule = (ms: number): void => {
    leaveTry();
    nextAt = clock.now() + ms;
    leaveTry = timers.after(ms, attempt);
    parts.onChange();
  };

  const failed = (text: string, waitMs: number): void => {
    failures += 1;
    problem = text;
    if (failures === 1) log.info({ relay: relay.host, problem: text }, 'the way to the relay is broken');
    schedule(Math.max(waitMs, reconnectDelayMs(failures, clock.now() - goneSince, random())));
  };

  /** The session is worth nothing any more. */
  const drop = (session: OpenSession): void => {
    if (current === session) current = undefined;
    session.leaveRefill();
    for (const line of session.waiting.keys()) line.close();
    session.waiting.clear();
  };

  const lost = (session: OpenSession, text: string): void => {
    if (current !== session) return;
    drop(session);
    phase = 'connecting';
    // A session that was lost at once is one more failure: two that take a name from each other must come to rest.
    if (session.upSince !== undefined && clock.now() - session.upSince >= STEADY_MS) {
      failures = 0;
      tries = 0;
      goneSince = clock.now();
    }
    failed(text, 0);
  };

  /** Two that take a name from each other never come to rest: the one that lost it waits, and its owner is told. */
  const taken = (session: OpenSession, text: string): void => {
    drop(session);
    phase = 'refused';
    log.warn({ relay: relay.host, address: parts.address }, 'another PDA with the same key has claimed the name');
    failed(text, MAX_DELAY_MS);
  };

  const lineEnded = (session: OpenSession, ended: Ended): void => {
    const { line, opened, text } = ended;
    const was = session.waiting.get(line);
    session.waiting.delete(line);
    if (was === undefined || current !== session || isClosed) return;
    if (ended.isTaken) {
      taken(session, text);
      return;
    }
    const isAnyReady = [...session.waiting.values()].some(({ isReady }) => isReady);
    if (!was.isReady && !isAnyReady && session.visiting === 0) {
      lost(session, text);
      return;
    }
    if (was.isReady && clock.now() - opened >= LASTED_MS) session.lineFailures = 0;
    else session.lineFailures += 1;
    if (session.lineFailures === 0) {
      fill(session);
      return;
    }
    session.leaveRefill();
    session.leaveRefill = timers.after(reopenDelayMs(session.lineFailures, random()), () => fill(session));
  };

  const handOver = (session: OpenSession, socket: Socket, visit: Visit): void => {
    session.visiting += 1;
    session.lineFailures = 0;
    socket.once('close', () => {
      session.visiting -= 1;
      fill(session);
    });
    parts.onVisit(socket, visit);
    fill(session);
  };

  const openOne = (session: OpenSession): void => {
    session.counter += 1;
    const opened = clock.now();
    const socket = connect({
      // Who took the claim, and proved the relay's name by its certificate: asked anew, a name service could have us call whoever is behind our router.
      host: session.host,
      port: session.port,
      // A visitor who has said all still hears the answer.
      allowHalfOpen: true,
    });
    const state = { isReady: false };
    const line: WaitingConnection = openWaitingConnection({
      socket,
      secret: session.secret,
      line: { session: session.session, counter: session.counter },
      timers,
      onReady() {
        state.isReady = true;
        if (current !== session || phase === 'up') return;
        phase = 'up';
        session.upSince = clock.now();
        problem = null;
        nextAt = null;
        tries = 0;
        log.info({ relay: relay.host, address: parts.address }, 'reachable by way of the relay');
        parts.onChange();
      },
      onVisit(visit) {
        session.waiting.delete(line);
        if (current === session && !isClosed) handOver(session, socket, visit);
        else socket.destroy();
      },
      onEnd: (text, isTaken) => lineEnded(session, { line, opened, text, isTaken }),
    });
    session.waiting.set(line, state);
  };

  const fill = (session: OpenSession): void => {
    if (current !== session || isClosed) return;
    const most = Math.min(MOST, session.maxConnections);
    while (session.waiting.size < WAITING && session.waiting.size + session.visiting < most) openOne(session);
  };

  const attempt = (): void => {
    if (isTrying || isClosed) return;
    const shown = key();
    if (shown === undefined) return;
    isTrying = true;
    leaveTry();
    nextAt = null;
    tries += 1;
    parts.onChange();
    void claimName(parts, shown).then((result) => {
      isTrying = false;
      if (isClosed) return;
      if (!result.ok) {
        phase = result.refused ? 'refused' : 'connecting';
        if (result.refused) keyIndex += 1;
        failed(result.problem, result.refused ? Math.max(result.waitMs, MAX_DELAY_MS / 2) : result.waitMs);
        return;
      }
      if (current !== undefined) drop(current);
      phase = 'connecting';
      current = {
        ...result.session,
        upSince: undefined,
        counter: 0,
        waiting: new Map(),
        visiting: 0,
        lineFailures: 0,
        leaveRefill: () => undefined,
      };
      fill(current);
    });
  };

  let closing: Promise<void> | undefined;
  const end = async (ms: number): Promise<void> => {
    leaveTry();
    const shown = key();
    const had = current !== undefined;
    if (current !== undefined) drop(current);
    phase = 'connecting';
    nextAt = null;
    if (had && shown !== undefined) await releaseName(parts, shown, ms);
  };

  return {
    view: () => ({ phase, problem, tries, nextTry: nextAt }),
    start: attempt,
    wake() {
      const now = clock.now();
      if (isClosed || Math.abs(now - woken) < WAKE_EVERY_MS) return;
      woken = now;
      if (current !== undefined) drop(current);
      if (phase === 'up') {
        phase = 'connecting';
        failures = 0;
        goneSince = now;
      }
      attempt();
    },
    close(ms) {
      isClosed = true;
      // Closed twice, both callers wait until the relay is told.
      closing ??= end(ms);
      return closing;
    },
  };
};
