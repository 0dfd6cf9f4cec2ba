import { isIP, type Socket } from 'node:net';
import {
  FIRST_MESSAGE_TIMEOUT_MS,
  GO,
  isReadyLine,
  isTakenLine,
  MAX_LINE_BYTES,
  formatOpenLine,
  PING,
  PING_MS,
  parseVisitLine,
  SILENT_MS,
  type TunnelConnectionId,
  type Peer,
} from './protocol.ts';
import type { Timers } from './timers.ts';

/** A connection to the relay on which no client has arrived yet. */
export type WaitingConnection = { close(): void };

export type WaitingConnectionParts = {
  socket: Socket;
  secret: Buffer;
  connectionId: TunnelConnectionId;
  timers: Timers;
  onReady: () => void;
  /** A client has arrived. From now on the socket carries its bytes, none of which have been read. */
  onClient: (peer: Peer) => void;
  /** The connection ended before a client arrived. `isNameTaken`: another PDA with the same key claimed the name. */
  onEnd: (problem: string, isNameTaken: boolean) => void;
};

const NAME_TAKEN_PROBLEM =
  'Another PDA with the same key has claimed the name. ' +
  'Is a copy of this folder in use on a second computer? Stop one of the two.';

export const openWaitingConnection = (parts: WaitingConnectionParts): WaitingConnection => {
  const { socket, secret, connectionId, timers } = parts;
  let state: 'opening' | 'waiting' | 'over' = 'opening';
  let buffered = '';
  let cancelSilenceTimer: () => void = () => undefined;
  let cancelPing: () => void = () => undefined;
  let unansweredPings = 0;

  const finish = (problem: string, isNameTaken = false): void => {
    if (state === 'over') return;
    state = 'over';
    cancelSilenceTimer();
    cancelPing();
    socket.destroy();
    parts.onEnd(problem, isNameTaken);
  };
  const restartSilenceTimer = (ms: number): void => {
    cancelSilenceTimer();
    cancelSilenceTimer = timers.schedule(ms, () => finish('The relay does not respond.'));
  };
  const sendPing = (): void => {
    unansweredPings += 1;
    socket.write(`${PING}\n`);
    cancelPing = timers.schedule(PING_MS, sendPing);
  };

  const handOver = (peer: Peer): void => {
    state = 'over';
    cancelSilenceTimer();
    cancelPing();
    socket.off('data', onData).off('end', onDisconnect).off('close', onDisconnect);
    socket.write(`${GO}\n`);
    parts.onClient(peer);
  };

  const onLine = (text: string): void => {
    if (state === 'opening') {
      if (!isReadyLine(secret, connectionId, text)) {
        finish('The relay rejected the connection.');
        return;
      }
      state = 'waiting';
      restartSilenceTimer(SILENT_MS);
      sendPing();
      parts.onReady();
      return;
    }
    // Accept only responses to pings: a relay that sends more could keep this machine busy.
    if (text === PING && unansweredPings > 0) {
      unansweredPings -= 1;
      restartSilenceTimer(SILENT_MS);
      return;
    }
    if (isTakenLine(secret, connectionId, text)) {
      finish(NAME_TAKEN_PROBLEM, true);
      return;
    }
    const peer = parseVisitLine(secret, connectionId, text);
    // The client's bytes follow `go`. The relay must not send any before it.
    if (peer === undefined || isIP(peer.address) === 0 || buffered !== '') finish('The relay violated the protocol.');
    else handOver(peer);
  };

  const onData = (chunk: Buffer): void => {
    buffered += chunk.toString('latin1');
    for (let lineEnd = buffered.indexOf('\n'); lineEnd !== -1 && state !== 'over'; lineEnd = buffered.indexOf('\n')) {
      const text = buffered.slice(0, lineEnd);
      buffered = buffered.slice(lineEnd + 1);
      onLine(text);
    }
    if (buffered.length > MAX_LINE_BYTES) finish('The relay violated the protocol.');
  };
  const onDisconnect = (): void => finish('The relay closed the connection.');

  restartSilenceTimer(FIRST_MESSAGE_TIMEOUT_MS);
  socket.setNoDelay(true);
  socket.once('connect', () => {
    if (state === 'opening') socket.write(`${formatOpenLine(secret, connectionId)}\n`);
  });
  socket.on('data', onData);
  socket.on('end', onDisconnect);
  socket.on('close', onDisconnect);
  // This listener stays: after the hand-over, `finish` has no effect, and the socket's receiver handles errors.
  socket.on('error', (error) => finish(`The connection to the relay broke (${error.message}).`));

  return { close: () => finish('Closed.') };
};
