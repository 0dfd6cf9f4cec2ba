import type { EventService } from '../../../core/events/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';

/**
 * Minimum time between two events. Dashboard pages reload at each event, and thousands of entries can arrive per
 * second.
 */
const MIN_INTERVAL_MS = 500;

/** Notifies the dashboard of new entries: immediately, and then at most once per `MIN_INTERVAL_MS`. */
export const createEntryNotifier = (parts: { events: Pick<EventService, 'notify'>; writer: Writer }) => {
  const { events, writer } = parts;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const send = (tx: Transaction): void => {
    lastSentAt = performance.now();
    events.notify(tx, 'ledger');
  };

  return {
    notify(tx: Transaction): void {
      if (timer !== undefined) return;
      const delayMs = lastSentAt + MIN_INTERVAL_MS - performance.now();
      if (delayMs <= 0) {
        send(tx);
        return;
      }
      timer = setTimeout(() => {
        timer = undefined;
        // The transaction only sends the event. It can fail while the database closes; no data is lost.
        writer.write(send).catch(() => undefined);
      }, delayMs).unref();
    },
    close(): void {
      clearTimeout(timer);
    },
  };
};
