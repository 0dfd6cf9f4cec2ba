import { messageOf } from '../../wire/values.ts';
import { StorageProblem } from '../storage/storage-problem.ts';
import type { Log } from '../../platform/log.ts';
import type { CannotStart, FromServer } from '../../wire/desktop.ts';
import type { Pda } from '../pda.ts';

/**
 * The channel to the program that started this one, where it opened one: the desktop app. It is a pipe between two processes; nothing on the
 * network leads to it, and it needs no token (docs/adr/0022).
 */

const send = (message: FromServer): Promise<void> =>
  new Promise((resolve, reject) => {
    if (process.send === undefined || !process.connected) {
      reject(new Error('there is no app'));
      return;
    }
    process.send(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });

/** Listens to the desktop app from now on. Without a channel nothing happens. */
export const serveDesktop = (pda: Pick<Pda, 'openDesktop'>, log: Log): { close(): void } => {
  if (process.send === undefined) return { close: () => undefined };
  let room: ReturnType<Pda['openDesktop']> | undefined;
  const onMessage = (message: unknown): void => {
    // The stop listener handles this message.
    if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop') return;
    try {
      room ??= pda.openDesktop({ send });
      room.take(message);
    } catch (error) {
      log.error({ err: error }, 'a message of the app could not be taken');
    }
  };
  process.on('message', onMessage);
  return { close: () => void process.off('message', onMessage) };
};

/** Tells the app why this server ends without having begun. */
export const tellCannotStart = async (problem: unknown): Promise<void> => {
  if (process.send === undefined) return;
  const kind: CannotStart['kind'] = problem instanceof StorageProblem ? problem.kind : 'other';
  const reason = messageOf(problem).slice(0, 1000);
  try {
    await send({ type: 'cannot-start', kind, reason });
  } catch {
    // The same is on standard error: an app that does not listen any more misses nothing.
  }
};
