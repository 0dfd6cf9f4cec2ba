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
  receive(message: unknown): void;
  close(): Promise<void>;
};

/** Changes within this time are sent together, because one import causes many. */
const STATUS_DEBOUNCE_MS = 100;
/**
 * Interval at which the status is recomputed without a change event, because requests expire and backups age.
 */
const STATUS_INTERVAL_MS = 60_000;
/** Topics that affect what the app shows. */
const TOPICS: ReadonlySet<Topic> = new Set(['debits', 'exposure', 'functions', 'backup']);

/** Creates the server's side of the desktop app: sends status messages and executes commands. */
export const createDesktopModule = (parts: DesktopModuleParts): DesktopModule => {
  const { events, channel, log } = parts;
  const service = createDesktopService(parts);
  let isWatched = false;
  let language: Language = 'en';
  let isClosed = false;
  let debounceTimer: NodeJS.Timeout | undefined;
  let statusTimer: NodeJS.Timeout | undefined;
  let lastSent = '';
  const pendingCommands = new Set<Promise<void>>();

  const send = async (message: FromServer): Promise<void> => {
    if (isClosed) return;
    try {
      await channel.send(message);
    } catch (error) {
      // The app has ended. The server then stops by itself.
      log.info({ err: error }, 'the desktop app could not be reached');
    }
  };

  const sendIfChanged = async (): Promise<void> => {
    const status = service.status(language);
    const json = JSON.stringify(status);
    if (json === lastSent) return;
    lastSent = json;
    await send(status);
  };

  /**
   * The status message in flight. Only one is sent at a time, so that messages do not queue up when the app does not
   * read.
   */
  let sending: Promise<void> | undefined;
  let isStale = false;
  const publishStatus = (): void => {
    if (!isWatched || isClosed) return;
    if (sending !== undefined) {
      isStale = true;
      return;
    }
    sending = sendIfChanged()
      .catch((error: unknown) => log.warn({ err: error }, 'the status for the desktop app could not be computed'))
      .finally(() => {
        sending = undefined;
        if (isStale) publishStatus();
        isStale = false;
      });
  };

  const unsubscribe = events.onTopic((topic) => {
    if (!isWatched || !TOPICS.has(topic)) return;
    debounceTimer ??= setTimeout(() => {
      debounceTimer = undefined;
      publishStatus();
    }, STATUS_DEBOUNCE_MS);
  });

  const execute = async ({ id, order }: Extract<FromShell, { type: 'order' }>): Promise<void> => {
    try {
      if (pendingCommands.size >= MAX_DESKTOP_ORDERS)
        throw new Failure('rate_limited', 'Too many commands at once. Nothing was changed.');
      await service.execute(order, language);
      await send({ type: 'answer', id, done: true });
    } catch (error) {
      const failure = failureOf(error);
      if (failure === UNEXPECTED) log.error({ err: error, order: order.type }, 'a command of the desktop app failed');
      await send({ type: 'answer', id, done: false, reason: failure.reason.slice(0, 500), code: failure.code });
    }
    // Send the new status at once: not every order causes a change event.
    publishStatus();
  };

  return {
    receive(message) {
      const parsed = fromShellSchema.safeParse(message);
      if (isClosed) return;
      if (!parsed.success) {
        log.warn({ problem: parsed.error.issues[0]?.message }, 'invalid message from the desktop app');
        return;
      }
      // cli/commands.ts handles this message, also while the server starts.
      if (parsed.data.type === 'stop') return;
      if (parsed.data.type === 'order') {
        const command: Promise<void> = execute(parsed.data).finally(() => pendingCommands.delete(command));
        pendingCommands.add(command);
        return;
      }
      isWatched = true;
      language = parsed.data.language ?? 'en';
      lastSent = '';
      statusTimer ??= setInterval(publishStatus, STATUS_INTERVAL_MS).unref();
      publishStatus();
    },
    async close() {
      unsubscribe();
      clearTimeout(debounceTimer);
      clearInterval(statusTimer);
      await Promise.allSettled(pendingCommands);
      isClosed = true;
    },
  };
};
