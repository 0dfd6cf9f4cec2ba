import {
  fromServerSchema,
  type CannotStart,
  type DesktopCommand,
  type DesktopStatus,
  type FromDesktopApp,
} from '../../server/wire/desktop.ts';
import type { Texts } from '../texts/en.ts';

/** `reason` is a text for the owner. */
export type CommandOutcome = { readonly done: true } | { readonly done: false; readonly reason: string };

/** Long, because going dark waits until a probe has checked the public address. */
const RESPONSE_TIMEOUT_MS = 20_000;

const buildFailure = (reason: string): CommandOutcome => ({ done: false, reason });

/**
 * Creates the IPC link to the running server. It outlives individual server processes.
 * @param options `texts`: the server is asked to send its texts in the same language
 */
export function createServerLink(options: {
  readonly onInvalidMessage: (problem: string) => void;
  readonly texts: Texts;
}) {
  const { language, commandErrors: commandTexts } = options.texts;
  const listeners = new Set<(status: DesktopStatus | null) => void>();
  const pendingCommands = new Map<number, (outcome: CommandOutcome) => void>();
  let send: ((message: FromDesktopApp) => boolean) | null = null;
  let status: DesktopStatus | null = null;
  let startProblem: CannotStart | null = null;
  let lastId = 0;

  const setStatus = (next: DesktopStatus | null): void => {
    if (status === null && next === null) return;
    status = next;
    for (const listener of listeners) listener(next);
  };

  return {
    status: (): DesktopStatus | null => status,
    onStatus(listener: (status: DesktopStatus | null) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Sends a command to the server. Never rejects. */
    sendCommand(command: DesktopCommand): Promise<CommandOutcome> {
      if (send === null) return Promise.resolve(buildFailure(commandTexts.notRunning));
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
      const timer = setTimeout(() => settle(buildFailure(commandTexts.timedOut)), RESPONSE_TIMEOUT_MS);
      const settle = (outcome: CommandOutcome): void => {
        clearTimeout(timer);
        pendingCommands.delete(id);
        resolve(outcome);
      };
      pendingCommands.set(id, settle);
      if (!send({ type: 'command', id, command })) settle(buildFailure(commandTexts.notRunning));
      return promise;
    },
    connect(sendMessage: (message: FromDesktopApp) => boolean): void {
      send = sendMessage;
      startProblem = null;
      sendMessage({ type: 'watch', ...(language === 'en' ? {} : { language }) });
    },
    receive(message: unknown): void {
      const result = fromServerSchema.safeParse(message);
      if (!result.success) {
        options.onInvalidMessage(result.error.issues[0]?.message ?? 'unknown message');
        return;
      }
      const { data } = result;
      if (data.type === 'status') setStatus(data);
      else if (data.type === 'cannot-start') startProblem = data;
      else {
        const settle = pendingCommands.get(data.id);
        settle?.(data.done ? { done: true } : buildFailure(commandTexts.refused(data.code, data.reason)));
      }
    },
    /** Returns and clears the last server's report that it could not open its home; null if there is none. */
    takeStartProblem(): CannotStart | null {
      const problem = startProblem;
      startProblem = null;
      return problem;
    },
    /** Must be called when the server process ends. The result of pending commands is then unknown. */
    disconnect(): void {
      send = null;
      for (const settle of pendingCommands.values()) settle(buildFailure(commandTexts.stopped));
      setStatus(null);
    },
  };
}
