import type { Clock } from '../../../platform/clock.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { FunctionStore } from '../store.ts';

/** All functions at once, paused and resumed by the owner. While they are paused no run begins; one that runs comes to its end. */
export type Pausing = {
  /** Unix milliseconds; undefined: they are not paused. */
  since(): number | undefined;
  /** From now on, also when it cannot be written down: then it holds until the server stops. @throws Failure out_of_disk */
  pause(): Promise<void>;
  /** @throws Failure out_of_disk */
  resume(): Promise<void>;
};

export const createPausing = (parts: {
  store: Pick<FunctionStore, 'pausedSince' | 'setPaused'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
  /** They may run again. */
  onResume: () => void;
}): Pausing => {
  const { store, writer, events, clock } = parts;
  let since = store.pausedSince();

  const write = (to: number | undefined, afterwards: () => void): Promise<void> =>
    writer.write((tx) => {
      store.setPaused(tx, to);
      events.notify(tx, 'functions');
      tx.afterCommit(afterwards);
    });

  return {
    since: () => since,
    async pause() {
      const from = (since ??= clock.now());
      await write(from, () => {
        // Once more: a resume that was on its way ends before this.
        since = from;
      });
    },
    resume: () =>
      write(undefined, () => {
        since = undefined;
        parts.onResume();
      }),
  };
};
