import type { EventService } from '../../../core/events/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';

/** Milliseconds between two announcements: pages ask again at each, and thousands of rows can come in a second. */
const EVERY_MS = 500;

/** Tells the owner's pages that there is something new, at once and then at most twice a second. */
export const createAnnouncer = (parts: { events: Pick<EventService, 'tell'>; writer: Writer }) => {
  const { events, writer } = parts;
  let told = Number.NEGATIVE_INFINITY;
  let later: NodeJS.Timeout | undefined;

  const tell = (tx: Transaction): void => {
    told = performance.now();
    events.tell(tx, 'ledger');
  };

  return {
    news(tx: Transaction): void {
      if (later !== undefined) return;
      const wait = told + EVERY_MS - performance.now();
      if (wait <= 0) {
        tell(tx);
        return;
      }
      later = setTimeout(() => {
        later = undefined;
        // An empty transaction: it costs no sync. Nothing is lost when the store is closing.
        writer.write(tell).catch(() => undefined);
      }, wait).unref();
    },
    close(): void {
      clearTimeout(later);
    },
  };
};
