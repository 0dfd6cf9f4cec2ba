import { Failure, UNEXPECTED_FAILURE } from '../../../platform/failure.ts';
import { failureOf } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import type { Language } from '../../../wire/language.ts';
import {
  fromDesktopAppSchema,
  MAX_DESKTOP_COMMANDS,
  type FromServer,
  type FromDesktopApp,
} from '../../../wire/desktop.ts';
import type { EventService, Topic } from '../../core/events/service.ts';
import { createDesktopService, type DesktopParts } from './service.ts';

/** Connection to the desktop app that started this server. */
export type DesktopChannel = {
  /** Resolves when the message is sent. @throws Error if the app has exited */
  send(message: FromServer): Promise<void>;
};

type DesktopModuleParts = DesktopParts & {
  events: Pick<EventService, 'onTopic'>;
  channel: DesktopChannel;
  log: Log;
};

export type DesktopModule = {
  /** Handles a message from the app. Logs and ignores an invalid message. Does not throw. */
  receive(message: unknown): void;
  close(): Promise<void>;
};

/** Maximum length of a failed command's reason, as in the message schema. */
const MAX_REASON_CHARS = 500;
/** Delay of a status message after a change event, so that changes in quick succession share one message. */
const STATUS_DELAY_MS = 100;
/** The status also changes without events, for example when a backup becomes outdated or a weekly summary is due. */
const STATUS_INTERVAL_MS = 60_000;
const STATUS_TOPICS: ReadonlySet<Topic> = new Set(['debits', 'exposure', 'functions', 'backup']);

export const createDesktopModule = (parts: DesktopModuleParts): DesktopModule => {
  const { events, channel, log } = parts;
  const service = createDesktopService(parts);
  let isWatched = false;
  let language: Language = 'en';
  let isClosed = false;
  let delayTimer: NodeJS.Timeout | undefined;
  let statusTimer: NodeJS.Timeout | undefined;
  let lastSent = '';
  const pendingCommands = new Set<Promise<void>>();

  const send = async (message: FromServer): Promise<void> => {
    if (isClosed) return;
    try {
      await channel.send(message);
    } catch (error) {
      // The app has exited. The server will stop, too.
      log.info({ err: error }, 'could not send a message to the desktop app');
    }
  };

  const sendIfChanged = async (): Promise<void> => {
    const status = await service.status(language);
    const json = JSON.stringify(status);
    if (json === lastSent) return;
    lastSent = json;
    await send(status);
  };

  /**
   * Set while a status is being sent. Only one is sent at a time: otherwise statuses would accumulate while the app
   * reads no messages.
   */
  let pendingStatus: Promise<void> | undefined;
  let isStale = false;
  const publishStatus = (): void => {
    if (!isWatched || isClosed) return;
    if (pendingStatus !== undefined) {
      isStale = true;
      return;
    }
    pendingStatus = sendIfChanged()
      .catch((error: unknown) => log.warn({ err: error }, 'could not compute the status for the desktop app'))
      .finally(() => {
        pendingStatus = undefined;
        if (isStale) publishStatus();
        isStale = false;
      });
  };

  const unsubscribe = events.onTopic((topic) => {
    if (!isWatched || !STATUS_TOPICS.has(topic)) return;
    delayTimer ??= setTimeout(() => {
      delayTimer = undefined;
      publishStatus();
    }, STATUS_DELAY_MS);
  });

  const execute = async ({ id, command }: Extract<FromDesktopApp, { type: 'command' }>): Promise<void> => {
    try {
      if (pendingCommands.size >= MAX_DESKTOP_COMMANDS)
        throw new Failure('rate_limited', 'Too many commands at once. Nothing was changed. Try again.');
      await service.execute(command, language);
      await send({ type: 'response', id, done: true });
    } catch (error) {
      const failure = failureOf(error);
      if (failure === UNEXPECTED_FAILURE)
        log.error({ err: error, command: command.type }, 'a command of the desktop app failed');
      await send({
        type: 'response',
        id,
        done: false,
        reason: failure.reason.slice(0, MAX_REASON_CHARS),
        code: failure.code,
      });
    }
    // Not every command causes a change event.
    publishStatus();
  };

  return {
    receive(message) {
      const parsed = fromDesktopAppSchema.safeParse(message);
      if (isClosed) return;
      if (!parsed.success) {
        log.warn({ problem: parsed.error.issues[0]?.message }, 'invalid message from the desktop app');
        return;
      }
      // `stop` is not handled here, because it can arrive while the server is starting.
      if (parsed.data.type === 'stop') return;
      if (parsed.data.type === 'command') {
        const execution: Promise<void> = execute(parsed.data).finally(() => pendingCommands.delete(execution));
        pendingCommands.add(execution);
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
      clearTimeout(delayTimer);
      clearInterval(statusTimer);
      await Promise.allSettled(pendingCommands);
      isClosed = true;
    },
  };
};
