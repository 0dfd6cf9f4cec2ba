import { isIP, type Socket } from 'node:net';
import {
  GO,
  isReadyLine,
  isTakenLine,
  MAX_LINE_BYTES,
  openLine,
  PING,
  PING_MS,
  readVisit,
  SILENT_MS,
  STEP_MS,
  type TunnelConnectionId,
  type Visit,
} from './protocol.ts';
import type { Timers } from './timers.ts';

/** One connection to the relay, from its opening to the visitor who comes by it. */
export type WaitingConnection = { close(): void };

export type WaitingConnectionParts = {
  /** On its way to the relay. */
  socket: Socket;
  secret: Buffer;
  line: TunnelConnectionId;
  timers: Timers;
  onReady: () => void;
  /** The socket is the visitor's from now on, and nothing of theirs was read yet. */
  onVisit: (visit: Visit) => void;
  /** It ended before a visitor came. `isTaken`: somebody else with our key has claimed the name. */
  onEnd: (problem: string, isTaken: boolean) => void;
};

export const NAME_TAKEN_PROBLEM =
  'Another PDA with the key of this one has claimed its name. Is a copy of its folder in use on a second computer? End one of the two.';

export const openWaitingConnection = (parts: WaitingConnectionParts): WaitingConnection => {
  const { socket, secret, line, timers } = parts;
  let state: 'opening' | 'waiting' | 'over' = 'opening';
  let received = '';
  let stopSilence: () => void = () => undefined;
  let stopPing: () => void = () => undefined;
  /** Signs of life that the relay has still to answer. */
  let owed = 0;

  const end = (problem: string, taken = false): void => {
    if (state === 'over') return;
    state = 'over';
    stopSilence();
    stopPing();
    socket.destroy();
    parts.onEnd(problem, taken);
  };
  const expectWithin = (ms: number): void => {
    stopSilence();
    stopSilence = timers.after(ms, () => end('The relay does not answer.'));
  };
  const ping = (): void => {
    owed += 1;
    socket.write(`${PING}\n`);
    stopPing = timers.after(PING_MS, ping);
  };

  const handOver = (visit: Visit): void => {
    state = 'over';
    stopSilence();
    stopPing();
    for (const [event, listener] of [
      ['data', onData],
      ['end', onGone],
      ['close', onGone],
    ] as const) {
      socket.off(event, listener);
    }
    socket.write(`${GO}\n`);
    parts.onVisit(visit);
  };

  const onLine = (text: string): void => {
    if (state === 'opening') {
      if (!isReadyLine(secret, line, text)) {
        end('The relay did not take the connection.');
        return;
      }
      state = 'waiting';
      expectWithin(SILENT_MS);
      ping();
      parts.onReady();
      return;
    }
    // It answers ours, and has nothing to say by itself: a relay that never stops would keep this machine busy.
    if (text === PING && owed > 0) {
      owed -= 1;
      expectWithin(SILENT_MS);
      return;
    }
    if (isTakenLine(secret, line, text)) {
      end(NAME_TAKEN_PROBLEM, true);
      return;
    }
    const visit = readVisit(secret, line, text);
    // The visitor's own bytes come after our word. What came before it is nobody's.
    if (visit === undefined || isIP(visit.address) === 0 || received !== '') end('The relay said what it may not say.');
    else handOver(visit);
  };

  const onData = (part: Buffer): void => {
    received += part.toString('latin1');
    for (let at = received.indexOf('\n'); at !== -1 && state !== 'over'; at = received.indexOf('\n')) {
      const text = received.slice(0, at);
      received = received.slice(at + 1);
      onLine(text);
    }
    if (received.length > MAX_LINE_BYTES) end('The relay said what it may not say.');
  };
  const onGone = (): void => end('The relay closed the connection.');

  expectWithin(STEP_MS);
  socket.setNoDelay(true);
  socket.once('connect', () => {
    if (state === 'opening') socket.write(`${openLine(secret, line)}\n`);
  });
  socket.on('data', onData);
  socket.on('end', onGone);
  socket.on('close', onGone);
  // Stays for good: an error on a line that was handed over is its new holder's, and must not be nobody's.
  socket.on('error', (error) => end(`The connection to the relay broke (${error.message}).`));

  return { close: () => end('Closed.') };
};
