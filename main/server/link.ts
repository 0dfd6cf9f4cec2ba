import {
  fromServerSchema,
  type CannotStart,
  type DesktopOrder,
  type DesktopStatus,
  type FromShell,
} from '../../server/wire/desktop.ts';
import type { Texts } from '../texts/en.ts';

/** Result of a command. `reason` is a sentence for the owner. */
export type Outcome = { readonly done: true } | { readonly done: false; readonly reason: string };

/** IPC link to the running server. It outlives individual server processes. */
export type ServerLink = {
  /** Returns the last status; null before the first one. */
  status(): DesktopStatus | null;
  /** Subscribes to status changes. Returns a function that unsubscribes. */
  onStatus(listener: (status: DesktopStatus | null) => void): () => void;
  /** Sends a command and resolves with its result. Never rejects. */
  ask(order: DesktopOrder): Promise<Outcome>;
  /** Starts with a new server process and subscribes to its status. */
  begin(send: (message: FromShell) => boolean): void;
  /** Handles a message of the server. */
  receive(message: unknown): void;
  /** Returns why the last server could not open its home, if it reported a reason. Resets it. */
  whyNotStarted(): CannotStart | null;
  /** Handles the end of the server process: the results of pending commands are unknown. */
  end(): void;
};

/** Milliseconds. Going dark waits for a probe from outside, and a write for a full disk. */
const RESPONSE_TIMEOUT_MS = 20_000;

const notDone = (reason: string): Outcome => ({ done: false, reason });

/**
 * @param parts `onInvalidMessage`: called with invalid messages, which are dropped; `texts`: their language is also
 * requested from the server
 */
export function createServerLink(parts: {
  readonly onInvalidMessage: (problem: string) => void;
  readonly responseMs?: number;
  readonly texts: Texts;
}): ServerLink {
  const { language, order: commandTexts } = parts.texts;
  const listeners = new Set<(status: DesktopStatus | null) => void>();
  const pending = new Map<number, (outcome: Outcome) => void>();
  let send: ((message: FromShell) => boolean) | null = null;
  let status: DesktopStatus | null = null;
  let startProblem: CannotStart | null = null;
  let lastId = 0;

  const setStatus = (next: DesktopStatus | null): void => {
    if (status === null && next === null) return;
    status = next;
    for (const listener of listeners) listener(next);
  };

  return {
    status: () => status,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ask(order) {
      if (send === null) return Promise.resolve(notDone(commandTexts.gone));
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const timer = setTimeout(() => settle(notDone(commandTexts.silent)), parts.responseMs ?? RESPONSE_TIMEOUT_MS);
      const settle = (outcome: Outcome): void => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(outcome);
      };
      pending.set(id, settle);
      if (!send({ type: 'order', id, order })) settle(notDone(commandTexts.gone));
      return promise;
    },
    begin(to) {
      send = to;
      startProblem = null;
      to({ type: 'watch', ...(language === 'en' ? {} : { language }) });
    },
    receive(message) {
      const parsed = fromServerSchema.safeParse(message);
      if (!parsed.success) {
        parts.onInvalidMessage(parsed.error.issues[0]?.message ?? 'unknown message');
        return;
      }
      const { data } = parsed;
      if (data.type === 'stand') setStatus(data);
      else if (data.type === 'cannot-start') startProblem = data;
      else pending.get(data.id)?.(data.done ? { done: true } : notDone(commandTexts.refused(data.code, data.reason)));
    },
    whyNotStarted() {
      const problem = startProblem;
      startProblem = null;
      return problem;
    },
    end() {
      send = null;
      for (const settle of pending.values()) settle(notDone(commandTexts.lost));
      setStatus(null);
    },
  };
}
