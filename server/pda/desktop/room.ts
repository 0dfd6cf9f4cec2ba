import { Failure, UNEXPECTED } from '../../platform/failure.ts';
import { failureOf } from '../../platform/file-system.ts';
import type { Log } from '../../platform/log.ts';
import type { Language } from '../../wire/language.ts';
import { fromShellSchema, MAX_DESKTOP_ORDERS, type FromServer, type FromShell } from '../../wire/desktop.ts';
import type { EventService, Topic } from '../events/service.ts';
import { createDesktopService, type DesktopParts } from './service.ts';

/** The other end is the program that started this one; nobody else can reach it. */
export type DesktopChannel = {
  /** Resolves when it has left; rejects when there is nobody any more. */
  send(message: FromServer): Promise<void>;
};

export type DesktopRoomParts = DesktopParts & {
  events: Pick<EventService, 'onTopic'>;
  channel: DesktopChannel;
  log: Log;
};

export type DesktopRoom = {
  /** Whatever came in. What is not an order of ours is refused and told to the log; nothing is ever thrown. */
  take(message: unknown): void;
  close(): Promise<void>;
};

/** Milliseconds in which changes gather: one import of an application makes many. */
const GATHER_MS = 100;
/** Milliseconds after which it is looked again in any case: what is asked for can be over by then, and a backup be old. */
const LOOK_EVERY_MS = 60_000;
/** What the app shows depends on these. */
const TOPICS: ReadonlySet<Topic> = new Set(['debits', 'exposure', 'functions', 'backup']);

/** What the app is told, and what it may ask for. Loaded when an app asks. */
export const createDesktopRoom = (parts: DesktopRoomParts): DesktopRoom => {
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
      // The app is gone: the server stops by itself then.
      log.info({ err: error }, 'the app could not be told');
    }
  };

  /** One at a time: an app that does not read must not make them pile up here. */
  let telling: Promise<void> | undefined;
  let isStale = false;
  const tell = (): void => {
    if (!isWatched || isClosed) return;
    if (telling !== undefined) {
      isStale = true;
      return;
    }
    telling = tellOnce()
      .catch((error: unknown) => log.warn({ err: error }, 'how things stand could not be worked out'))
      .finally(() => {
        telling = undefined;
        if (isStale) tell();
        isStale = false;
      });
  };
  const tellOnce = async (): Promise<void> => {
    const stand = service.stand(language);
    const text = JSON.stringify(stand);
    if (text === told) return;
    told = text;
    await send(stand);
  };

  const stopListening = events.onTopic((topic) => {
    if (!isWatched || !TOPICS.has(topic)) return;
    gathering ??= setTimeout(() => {
      gathering = undefined;
      tell();
    }, GATHER_MS);
  });

  const perform = async ({ id, order }: Extract<FromShell, { type: 'order' }>): Promise<void> => {
    try {
      if (underWay.size >= MAX_DESKTOP_ORDERS)
        throw new Failure('rate_limited', 'Too much at once. Nothing was changed.');
      await service.perform(order, language);
      await send({ type: 'answer', id, done: true });
    } catch (error) {
      const failure = failureOf(error);
      if (failure === UNEXPECTED) log.error({ err: error, order: order.type }, 'an order of the app failed');
      await send({ type: 'answer', id, done: false, reason: failure.reason.slice(0, 500), code: failure.code });
    }
    // What it changed is shown at once, also where nothing else announces it.
    tell();
  };

  return {
    take(message) {
      const found = fromShellSchema.safeParse(message);
      if (isClosed) return;
      if (!found.success) {
        log.warn({ problem: found.error.issues[0]?.message }, 'a message of the app was not understood');
        return;
      }
      // A stop is heard elsewhere, from the first moment of a start.
      if (found.data.type === 'stop') return;
      if (found.data.type === 'order') {
        const work: Promise<void> = perform(found.data).finally(() => underWay.delete(work));
        underWay.add(work);
        return;
      }
      isWatched = true;
      language = found.data.language ?? 'en';
      told = '';
      looking ??= setInterval(tell, LOOK_EVERY_MS).unref();
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
