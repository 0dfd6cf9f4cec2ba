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
  stand(): DesktopStatus | null;
  /** Subscribes to status changes. Returns a function that unsubscribes. */
  onStand(listener: (stand: DesktopStatus | null) => void): () => void;
  /** Sends a command and resolves with its result. Never rejects. */
  ask(order: DesktopOrder): Promise<Outcome>;
  /** Starts with a new server process and subscribes to its status. */
  begin(send: (message: FromShell) => boolean): void;
  /** Handles a message of the server. */
  take(message: unknown): void;
  /** Returns why the last server could not open its home, if it reported a reason. Resets it. */
  whyNotStarted(): CannotStart | null;
  /** Handles the end of the server process: the results of pending commands are unknown. */
  end(): void;
};

/** Milliseconds. Going dark waits for a probe from outside, and a write for a full disk. */
const ANSWER_MS = 20_000;

const notDone = (reason: string): Outcome => ({ done: false, reason });

/**
 * @param parts `onNonsense`: called with invalid messages, which are dropped; `texts`: their language is also
 * requested from the server
 */
export function createServerLink(parts: {
  readonly onNonsense: (problem: string) => void;
  readonly answerMs?: number;
  readonly texts: Texts;
}): ServerLink {
  const { language, order: words } = parts.texts;
  const listeners = new Set<(stand: DesktopStatus | null) => void>();
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let send: ((message: FromShell) => boolean) | null = null;
  let stand: DesktopStatus | null = null;
  let refused: CannotStart | null = null;
  let lastId = 0;

  const become = (next: DesktopStatus | null): void => {
    if (stand === null && next === null) return;
    stand = next;
    for (const listener of listeners) listener(next);
  };

  return {
    stand: () => stand,
    onStand(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ask(order) {
      if (send === null) return Promise.resolve(notDone(words.gone));
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const timer = setTimeout(() => settle(notDone(words.silent)), parts.answerMs ?? ANSWER_MS);
      const settle = (outcome: Outcome): void => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(outcome);
      };
      waiting.set(id, settle);
      if (!send({ type: 'order', id, order })) settle(notDone(words.gone));
      return promise;
    },
    begin(to) {
      send = to;
      refused = null;
      to({ type: 'watch', ...(language === 'en' ? {} : { language }) });
    },
    take(message) {
      const found = fromServerSchema.safeParse(message);
      if (!found.success) {
        parts.onNonsense(found.error.issues[0]?.message ?? 'not understood');
        return;
      }
      const said = found.data;
      if (said.type === 'stand') become(said);
      else if (said.type === 'cannot-start') refused = said;
      else waiting.get(said.id)?.(said.done ? { done: true } : notDone(words.refused(said.code, said.reason)));
    },
    whyNotStarted() {
      const why = refused;
      refused = null;
      return why;
    },
    end() {
      send = null;
      for (const settle of waiting.values()) settle(notDone(words.lost));
      become(null);
    },
  };
}
