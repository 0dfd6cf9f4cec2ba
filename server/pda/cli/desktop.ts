import { isObject, messageOf } from '../../wire/values.ts';
import { StorageProblem } from '../storage/storage-problem.ts';
import type { Log } from '../../platform/log.ts';
import type { CannotStart, FromServer } from '../../wire/desktop.ts';
import type { Pda } from '../pda.ts';

/*
 * IPC channel to the desktop app, if the app started this process. The pipe is not reachable over the network, so it
 * needs no token (docs/adr/0022).
 */

const REASON_MAX_CHARS = 1000;

const send = (message: FromServer): Promise<void> =>
  new Promise((resolve, reject) => {
    if (process.send === undefined || !process.connected) {
      reject(new Error('the desktop app is not connected'));
      return;
    }
    process.send(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });

export const isStopMessage = (message: unknown): boolean => isObject(message) && message['type'] === 'stop';

export const serveDesktop = (pda: Pick<Pda, 'openDesktop'>, log: Log): { close(): void } => {
  if (process.send === undefined) return { close: () => undefined };
  let desktop: ReturnType<Pda['openDesktop']> | undefined;
  const onMessage = (message: unknown): void => {
    // `serve` handles this message.
    if (isStopMessage(message)) return;
    try {
      desktop ??= pda.openDesktop({ send });
      desktop.receive(message);
    } catch (error) {
      log.error({ err: error }, 'could not handle a message from the desktop app');
    }
  };
  process.on('message', onMessage);
  return { close: () => void process.off('message', onMessage) };
};

/** Tells the app why this server cannot start or continue. */
export const reportFatalError = async (problem: unknown): Promise<void> => {
  if (process.send === undefined) return;
  const kind: CannotStart['kind'] = problem instanceof StorageProblem ? problem.kind : 'other';
  const reason = messageOf(problem).slice(0, REASON_MAX_CHARS);
  try {
    await send({ type: 'cannot-start', kind, reason });
  } catch {
    // The app has disconnected. The error is also printed to standard error.
  }
};
