import type { Clock } from '../../../platform/clock.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { FunctionStore } from '../store.ts';

/** Pauses and resumes all functions. During a pause no run starts; runs in progress complete. */
export type PauseControl = {
  /** Returns the start of the pause in Unix milliseconds; undefined if functions are not paused. */
  pausedSince(): number | undefined;
  /** Pauses all functions. A pause that cannot be stored ends when the server stops. @throws Failure out_of_disk */
  pause(): Promise<void>;
  /** @throws Failure out_of_disk */
  resume(): Promise<void>;
};

export const createPauseControl = (parts: {
  store: Pick<FunctionStore, 'pausedSince' | 'setPaused'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
  onResume: () => void;
}): PauseControl => {
  const { store, writer, events, clock } = parts;
  let since = store.pausedSince();

  const write = (value: number | undefined, onCommit: () => void): Promise<void> =>
    writer.write((tx) => {
      store.setPaused(tx, value);
      events.notify(tx, 'functions');
      tx.afterCommit(onCommit);
    });

  return {
    pausedSince: () => since,
    async pause() {
      const start = (since ??= clock.now());
      await write(start, () => {
        // Set again, because a resume that was in progress commits before this transaction.
        since = start;
      });
    },
    resume: () =>
      write(undefined, () => {
        since = undefined;
        parts.onResume();
      }),
  };
};
