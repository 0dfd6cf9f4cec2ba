import { connect, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { SigningKey } from '../auth/tokens.ts';
import type { Peer } from './protocol.ts';
import { claimName, endTunnelSession, type NameClaimParts, type TunnelSession } from './name-claim.ts';
import { openWaitingConnection, type WaitingConnection } from './connection.ts';
import { MAX_DELAY_MS, reopenDelayMs, reconnectDelayMs } from './reconnect-backoff.ts';
import type { Timers } from './timers.ts';

/** Times are Unix milliseconds. */
export type RelayClientStatus = {
  phase: 'connecting' | 'up' | 'refused';
  problem: string | null;
  /** Attempts since the connection was last up. */
  attempts: number;
  nextAttempt: number | null;
};

export type RelayClient = {
  view(): RelayClientStatus;
  start(): void;
  /** Reconnects, e.g. after sleep: open connections may be dead, and the back-off is obsolete. */
  wake(): void;
  /** Stops accepting clients and ends the session within `ms` milliseconds. Connected clients stay connected. */
  close(ms: number): Promise<void>;
};

export type RelayClientParts = NameClaimParts & {
  keys: () => readonly SigningKey[];
  onClient: (socket: Socket, peer: Peer) => void;
  onChange: () => void;
  timers: Timers;
  clock: Clock;
  log: Log;
  random: () => number;
};

const WAITING_CONNECTIONS = 4;
/** Upper bound even if the relay allows more. */
const MAX_CONNECTIONS = 100;
/** Duration after which a session, or a connection, counts as stable. */
const STABLE_SESSION_MS = 30_000;
const STABLE_CONNECTION_MS = 10_000;
const WAKE_INTERVAL_MS = 2000;

export const createRelayClient = (parts: RelayClientParts): RelayClient => {
  const { relay, timers, clock, log, random } = parts;
  let phase: RelayClientStatus['phase'] = 'connecting';
  let problem: string | null = null;
  let attempts = 0;
  let failures = 0;
  let downSince = clock.now();
  let nextAttemptAt: number | null = null;
  let cancelAttempt: () => void = () => undefined;
  let isConnecting = false;
  let isClosed = false;
  let wokenAt = Number.NEGATIVE_INFINITY;
  /** Index of the current key. After a change of keys, the relay may know only the previous one. */
  let keyIndex = 0;
  let currentSession: OpenSession | undefined;

  type OpenSession = TunnelSession & {
    upSince: number | undefined;
    counter: number;
    waiting: Map<WaitingConnection, { isReady: boolean }>;
    activeConnections: number;
    connectionFailures: number;
    cancelRefill: () => void;
  };

  type EndedConnection = { connection: WaitingConnection; openedAt: number; text: string; isNameTaken: boolean };

  const currentKey = (): SigningKey | undefined => {
    const keys = parts.keys();
    return keys[keyIndex % Math.max(1, keys.length)];
  };

  const schedule = (ms: number): void => {
    cancelAttempt();
    nextAttemptAt = clock.now() + ms;
    cancelAttempt = timers.schedule(ms, attempt);
    parts.onChange();
  };

  const onFailure = (text: string, waitMs: number): void => {
    failures += 1;
    problem = text;
    if (failures === 1) log.info({ relay: relay.host, problem: text }, 'the connection to the relay failed');
    schedule(Math.max(waitMs, reconnectDelayMs(failures, clock.now() - downSince, random())));
  };

  const discardSession = (session: OpenSession): void => {
    if (currentSession === session) currentSession = undefined;
    session.cancelRefill();
    for (const connection of session.waiting.keys()) connection.close();
    session.waiting.clear();
  };

  const onSessionLost = (session: OpenSession, text: string): void => {
    if (currentSession !== session) return;
    discardSession(session);
    phase = 'connecting';
    // Losing a new session counts as another failure: the delays grow if two clients take a name from each other.
    if (session.upSince !== undefined && clock.now() - session.upSince >= STABLE_SESSION_MS) {
      failures = 0;
      attempts = 0;
      downSince = clock.now();
    }
    onFailure(text, 0);
  };

  /** Two clients that reclaim a name from each other would never stop, so this one waits and reports the problem. */
  const onNameTaken = (session: OpenSession, text: string): void => {
    discardSession(session);
    phase = 'refused';
    log.warn({ relay: relay.host, address: parts.address }, 'another PDA with the same key has claimed the name');
    onFailure(text, MAX_DELAY_MS);
  };

  const onConnectionEnd = (session: OpenSession, ending: EndedConnection): void => {
    const { connection, openedAt, text } = ending;
    const previous = session.waiting.get(connection);
    session.waiting.delete(connection);
    if (previous === undefined || currentSession !== session || isClosed) return;
    if (ending.isNameTaken) {
      onNameTaken(session, text);
      return;
    }
    const isAnyReady = [...session.waiting.values()].some(({ isReady }) => isReady);
    if (!previous.isReady && !isAnyReady && session.activeConnections === 0) {
      onSessionLost(session, text);
      return;
    }
    if (previous.isReady && clock.now() - openedAt >= STABLE_CONNECTION_MS) session.connectionFailures = 0;
    else session.connectionFailures += 1;
    if (session.connectionFailures === 0) {
      openMissingConnections(session);
      return;
    }
    session.cancelRefill();
    session.cancelRefill = timers.schedule(reopenDelayMs(session.connectionFailures, random()), () =>
      openMissingConnections(session),
    );
  };

  const handOver = (session: OpenSession, socket: Socket, peer: Peer): void => {
    session.activeConnections += 1;
    session.connectionFailures = 0;
    socket.once('close', () => {
      session.activeConnections -= 1;
      openMissingConnections(session);
    });
    parts.onClient(socket, peer);
    openMissingConnections(session);
  };

  const openConnection = (session: OpenSession): void => {
    session.counter += 1;
    const openedAt = clock.now();
    const socket = connect({
      // Use the address that accepted the claim and proved the relay's name by its certificate. A second look-up could
      // return an address in the local network.
      host: session.host,
      port: session.port,
      // A client that has ended its side still receives the response.
      allowHalfOpen: true,
    });
    const state = { isReady: false };
    const connection: WaitingConnection = openWaitingConnection({
      socket,
      secret: session.secret,
      connectionId: { session: session.id, counter: session.counter },
      timers,
      onReady() {
        state.isReady = true;
        if (currentSession !== session || phase === 'up') return;
        phase = 'up';
        session.upSince = clock.now();
        problem = null;
        nextAttemptAt = null;
        attempts = 0;
        log.info({ relay: relay.host, address: parts.address }, 'reachable through the relay');
        parts.onChange();
      },
      onClient(peer) {
        session.waiting.delete(connection);
        if (currentSession === session && !isClosed) handOver(session, socket, peer);
        else socket.destroy();
      },
      onEnd: (text, isNameTaken) => onConnectionEnd(session, { connection, openedAt, text, isNameTaken }),
    });
    session.waiting.set(connection, state);
  };

  const openMissingConnections = (session: OpenSession): void => {
    if (currentSession !== session || isClosed) return;
    const maxConnections = Math.min(MAX_CONNECTIONS, session.maxConnections);
    while (
      session.waiting.size < WAITING_CONNECTIONS &&
      session.waiting.size + session.activeConnections < maxConnections
    )
      openConnection(session);
  };

  const attempt = (): void => {
    if (isConnecting || isClosed) return;
    const signingKey = currentKey();
    if (signingKey === undefined) return;
    isConnecting = true;
    cancelAttempt();
    nextAttemptAt = null;
    attempts += 1;
    parts.onChange();
    void claimName(parts, signingKey).then((result) => {
      isConnecting = false;
      if (isClosed) return;
      if (!result.ok) {
        phase = result.isRefused ? 'refused' : 'connecting';
        if (result.isRefused) keyIndex += 1;
        onFailure(result.problem, result.isRefused ? Math.max(result.waitMs, MAX_DELAY_MS / 2) : result.waitMs);
        return;
      }
      if (currentSession !== undefined) discardSession(currentSession);
      phase = 'connecting';
      currentSession = {
        ...result.session,
        upSince: undefined,
        counter: 0,
        waiting: new Map(),
        activeConnections: 0,
        connectionFailures: 0,
        cancelRefill: () => undefined,
      };
      openMissingConnections(currentSession);
    });
  };

  let closing: Promise<void> | undefined;
  const shutDown = async (ms: number): Promise<void> => {
    cancelAttempt();
    const signingKey = currentKey();
    const hadSession = currentSession !== undefined;
    if (currentSession !== undefined) discardSession(currentSession);
    phase = 'connecting';
    nextAttemptAt = null;
    if (hadSession && signingKey !== undefined) await endTunnelSession(parts, signingKey, ms);
  };

  return {
    view: () => ({ phase, problem, attempts, nextAttempt: nextAttemptAt }),
    start: attempt,
    wake() {
      const now = clock.now();
      if (isClosed || Math.abs(now - wokenAt) < WAKE_INTERVAL_MS) return;
      wokenAt = now;
      if (currentSession !== undefined) discardSession(currentSession);
      if (phase === 'up') {
        phase = 'connecting';
        failures = 0;
        downSince = now;
      }
      attempt();
    },
    close(ms) {
      isClosed = true;
      // A second caller also waits for the end of the session.
      closing ??= shutDown(ms);
      return closing;
    },
  };
};
