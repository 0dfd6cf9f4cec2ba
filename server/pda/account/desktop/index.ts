import { Failure, UNEXPECTED } from '../../../platform/failure.ts';
import { failureOf } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import type { Language } from '../../../wire/language.ts';
import { fromShellSchema, MAX_DESKTOP_ORDERS, type FromServer, type FromShell } from '../../../wire/desktop.ts';
import type { EventService, Topic } from '../../core/events/service.ts';
import { createDesktopService, type DesktopParts } from './service.ts';

/** Connection to the program that started this server. Only that program can use it. */
export type DesktopChannel = {
  /** Resolves when the message was sent; rejects when the program has ended. */
  send(message: FromServer): Promise<void>;
};

export type DesktopModuleParts = DesktopParts & {
  events: Pick<EventService, 'onTopic'>;
  channel: DesktopChannel;
  log: Log;
};

export type DesktopModule = {
  /** Handles any message. Invalid ones are logged and ignored. Never throws. */
  take(message: unknown): void;
  close(): Promise<void>;
};

/** Changes within this time are sent together: one import causes many. */
const CHANGE_GATHER_MS = 100;
/** Interval at which the status is computed again without a change: a request may have expired, a backup become old. */
const STATUS_INTERVAL_MS = 60_000;
/** Topics that affect what the app shows. */
const TOPICS: ReadonlySet<Topic> = new Set(['debits', 'exposure', 'functions', 'backup']);

/** Creates the connection to the desktop app: it sends the status and executes orders. */
export const createDesktopModule = (parts: DesktopModuleParts): DesktopModule => {
  const { events, channel, log } = parts;
  const service = createDesktopService(parts);
  let isWatched = false;
  let language: Language = 'en';
  let isClosed = false;
  let gathering: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let told = '';
  const underWay = new Set<Promise<void>>();

  const send = async (message: FromServer): Promise<void> => {
    if (isClosed) return;
    try {
      await channel.send(message);
    } catch (error) {
      // The app has ended. The server then stops by itself.
      log.info({ err: error }, 'the desktop app could not be reached');
    }
  };

  const tellOnce = async (): Promise<void> => {
    const stand = service.stand(language);
    const text = JSON.stringify(stand);
    if (text === told) return;
    told = text;
    await send(stand);
  };

  /** Sends one status at a time, so that messages do not pile up when the app does not read. */
  let telling: Promise<void> | undefined;
  let isStale = false;
  const tell = (): void => {
    if (!isWatched || isClosed) return;
    if (telling !== undefined) {
      isStale = true;
      return;
    }
    telling = tellOnce()
      .catch((error: unknown) => log.warn({ err: error }, 'the status for the desktop app could not be computed'))
      .finally(() => {
        telling = undefined;
        if (isStale) tell();
        isStale = false;
      });
  };

  const stopListening = events.onTopic((topic) => {
    if (!isWatched || !TOPICS.has(topic)) return;
    gathering ??= setTimeout(() => {
      gathering = undefined;
      tell();
    }, CHANGE_GATHER_MS);
  });

  const perform = async ({ id, order }: Extract<FromShell, { type: 'order' }>): Promise<void> => {
    try {
      if (underWay.size >= MAX_DESKTOP_ORDERS)
        throw new Failure('rate_limited', 'Too much at once. Nothing was changed.');
      await service.perform(order, language);
      await send({ type: 'answer', id, done: true });
    } catch (error) {
      const failure = failureOf(error);
      if (failure === UNEXPECTED) log.error({ err: error, order: order.type }, 'an order of the desktop app failed');
      await send({ type: 'answer', id, done: false, reason: failure.reason.slice(0, 500), code: failure.code });
    }
    // Send the new status at once: not every order causes a change event.
    tell();
  };

  return {
    take(message) {
      const found = fromShellSchema.safeParse(message);
      if (isClosed) return;
      if (!found.success) {
        log.warn({ problem: found.error.issues[0]?.message }, 'invalid message from the desktop app');
        return;
      }
      // cli/commands.ts handles this message, also while the server starts.
      if (found.data.type === 'stop') return;
      if (found.data.type === 'order') {
        const work: Promise<void> = perform(found.data).finally(() => underWay.delete(work));
        underWay.add(work);
        return;
      }
      isWatched = true;
      language = found.data.language ?? 'en';
      told = '';
      looking ??= setInterval(tell, STATUS_INTERVAL_MS).unref();
      tell();
    },
    async close() {
      stopListening();
      clearTimeout(gathering);
      clearInterval(looking);
      await Promise.allSettled(underWay);
      isClosed = true;
    },
  };
};
