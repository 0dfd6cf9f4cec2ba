import {
  fromServerSchema,
  type CannotStart,
  type DesktopOrder,
  type DesktopStatus,
  type FromShell,
} from '../../server/wire/desktop.ts';
import type { Texts } from '../texts/en.ts';

/** What came of an order. `reason` is a sentence for the owner. */
export type Outcome = { readonly done: true } | { readonly done: false; readonly reason: string };

/** The line to the server that runs now, over the channel that only we hold. It outlives the servers at its other end. */
export type ServerLink = {
  /** How things stand; null while no server has said. */
  stand(): DesktopStatus | null;
  /** Called at each change from now on; returns the way out. */
  onStand(listener: (stand: DesktopStatus | null) => void): () => void;
  /** Never rejects. */
  ask(order: DesktopOrder): Promise<Outcome>;
  /** A server answers: it is asked how things stand. */
  begin(send: (message: FromShell) => boolean): void;
  /** Whatever came from it. */
  take(message: unknown): void;
  /** Why the server that has just ended could not open its home, if it said so. Asked once. */
  whyNotStarted(): CannotStart | null;
  /** The server has gone: what was asked and not answered is not known to be done. */
  end(): void;
};

/** Going dark waits for a try from outside, and a write for a full disk. */
const ANSWER_MS = 20_000;

const notDone = (reason: string): Outcome => ({ done: false, reason });

/** @param parts `onNonsense`: told of what nobody understands, which is dropped; `texts`: the server is asked to speak their language, too */
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
