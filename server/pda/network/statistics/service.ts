import { backoff } from '../../../platform/async/backoff.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { StatisticEvent } from '../../../wire/statistics.ts';
import { statisticEventSchema } from '../../../wire/statistics.ts';
import type { EventService } from '../../core/events/service.ts';
import type { ExchangeLink, ReportCounts } from '../exchange/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { Collector } from './collector.ts';
import type { EventRow, StateRow, StatisticsStore } from './store.ts';

/** Counts what comes in and goes out, and reports it to the exchange that the owner chose: no value, no record, no name of anybody. */
export type StatisticsService = {
  counts: ReportCounts;
  /** Begins to count and to send, where the owner has an exchange and lets it hear. */
  start(): void;
  /** Looks at once: when settings changed, or the machine woke. */
  wake(): void;
  /** Counts what is new and sends what is due, to the end. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

export type StatisticsParts = {
  store: StatisticsStore;
  collector: Collector;
  writer: Writer;
  events: Pick<EventService, 'onTopic' | 'listen' | 'tell'>;
  /** The exchange that may hear; undefined: there is none. Then nothing is counted. */
  reportsTo: () => string | undefined;
  /**
   * Whether the owner lets all of it be told. If not, only what becomes of the Data Debits of claimed Offers is: with the claim the owner agreed
   * to that, and without it nobody would ever hear that the claim is good.
   */
  reportsOn: () => boolean;
  isClaimed: (key: string) => boolean;
  /** Its calls count as this PDA's only once it is registered there. */
  exchange: Pick<ExchangeLink, 'registered' | 'call'>;
  clock: Clock;
  log: Log;
  random?: () => number;
};

/** "Buffered 100 events or 60 s". */
const COUNT_EVERY_MS = 60_000;
const COUNT_AFTER_EVENTS = 100;
/** Something happened to a Data Debit: others wait to hear of that. */
const SOON_MS = 200;
const BATCH = 100;
const BATCH_CHARS = 2_000_000;
const TIMEOUT_MS = 20_000;
const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 3_600_000;

/** The event as it is sent, once more held against the schema: nothing else may leave. Undefined when it does not fit. */
const eventOf = ({ id, kind, subject, time, body }: EventRow): StatisticEvent | undefined => {
  const whose = kind === 'inbound' ? { application: subject } : { dataDebitKey: subject };
  const content: unknown = JSON.parse(body);
  const rest = typeof content === 'object' && content !== null ? content : {};
  return statisticEventSchema.safeParse({ ...rest, ...whose, id, time, statsType: kind }).data;
};

export const createStatisticsService = (parts: StatisticsParts): StatisticsService => {
  const { store, collector, writer, events, clock, log, random = Math.random } = parts;
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  let running: Promise<void> | undefined;
  let started = false;
  let closed = false;
  let happened = 0;
  const stopped = new AbortController();
  /** What an exchange does not take together may be taken one by one, but for the one that it does not understand. */
  let most = BATCH;

  const mayGo = ({ kind, subject }: Pick<EventRow, 'kind' | 'subject'>): boolean =>
    parts.reportsOn() || (kind === 'datadebit' && parts.isClaimed(subject));

  /** How things stand for the exchange that counts now; begun anew where it is another one. */
  const stateNow = async (): Promise<StateRow | undefined> => {
    const service = parts.reportsTo();
    const state = store.state();
    if (state?.service === service) {
      const unwanted = parts.reportsOn() ? [] : store.subjects().filter((row) => !mayGo(row));
      if (unwanted.length === 0) return state;
      await writer.write((tx) =>
        store.remove(
          tx,
          unwanted.map(({ seq }) => seq),
        ),
      );
      return store.state();
    }
    await writer.write((tx) => {
      if (service === undefined) store.end(tx);
      else store.begin(tx, { service, ...collector.start() });
    });
    return store.state();
  };

  const nextBatch = (): EventRow[] => {
    const rows = store.first(most);
    let chars = 0;
    const fit = rows.findIndex(({ body }) => (chars += body.length) > BATCH_CHARS);
    return fit === -1 ? rows : rows.slice(0, Math.max(1, fit));
  };

  /** Sends one batch. False when there is nothing (more) to send now. */
  const sendOne = async (state: StateRow): Promise<boolean> => {
    const wait = state.next_attempt - clock.now();
    // A time that is further off than any delay was set by a clock that was set back since.
    if (wait > 0 && wait <= LONGEST_DELAY_MS) return false;
    if (parts.exchange.registered() === undefined) return false;
    const rows = nextBatch();
    if (rows.length === 0) return false;
    const seqs = rows.map(({ seq }) => seq);
    const sent = rows.map(eventOf).filter((event) => event !== undefined);
    if (sent.length < rows.length) {
      log.error({ events: rows.length - sent.length }, 'statistics that are none were left out');
      const good = new Set(sent.map(({ id }) => id));
      const bad = rows.filter(({ id }) => !good.has(id)).map(({ seq }) => seq);
      await writer.write((tx) => store.remove(tx, bad));
      return true;
    }
    // Before the first byte leaves: what may have arrived keeps its id and its numbers for good.
    if (rows.some(({ tried }) => tried === 0)) await writer.write((tx) => store.tried(tx, seqs));
    // The owner may have turned reports off in this moment.
    if (!rows.every(mayGo)) return true;
    const answer = await parts.exchange.call({
      method: 'POST',
      path: '/stats/report',
      body: sent,
      timeoutMs: TIMEOUT_MS,
      maxBytes: 10_000,
      signal: stopped.signal,
    });
    // While it was under way the owner may have turned to another exchange, or to none.
    if (stopped.signal.aborted || store.state()?.service !== state.service) return false;
    const now = clock.now();
    if (answer.ok && answer.status >= 200 && answer.status < 300) {
      most = BATCH;
      await writer.write((tx) => {
        store.remove(tx, seqs);
        store.delivered(tx, seqs.length, now);
        events.tell(tx, 'network');
      });
      return true;
    }
    const notUnderstood = answer.ok && (answer.status === 400 || answer.status === 413 || answer.status === 422);
    if (notUnderstood && rows.length > 1) {
      most = 1;
      return true;
    }
    if (notUnderstood) {
      log.warn(
        { event: rows[0]?.id, status: answer.status },
        'the exchange does not understand a report; it is left out',
      );
      await writer.write((tx) => store.remove(tx, seqs));
      return true;
    }
    const attempts = state.attempts + 1;
    const delay = backoff(attempts, { firstMs: FIRST_DELAY_MS, longestMs: LONGEST_DELAY_MS, random: random() });
    await writer.write((tx) => store.failed(tx, attempts, now + delay));
    return false;
  };

  const run = async (): Promise<void> => {
    happened = 0;
    for (let more = true; more && !closed;) {
      const state = await stateNow();
      if (state === undefined) return;
      more = await collector.collect(state);
    }
    for (let more = true; more && !closed;) {
      const state = await stateNow();
      more = state !== undefined && (await sendOne(state));
    }
  };

  /** The next look, or the next try where that is sooner. */
  const untilNext = (): number => {
    const wait = (store.state()?.next_attempt ?? 0) - clock.now();
    return wait > 0 ? Math.min(COUNT_EVERY_MS, wait) : COUNT_EVERY_MS;
  };

  const flush = async (): Promise<void> => {
    // Whoever asks wants what is there now: a run that is under way may have looked before.
    await running;
    if (closed) return;
    running ??= run()
      .then(untilNext)
      .catch((error: unknown) => {
        log.error({ err: error }, 'statistics could not be counted or sent');
        return COUNT_EVERY_MS;
      })
      .then((wait) => {
        running = undefined;
        schedule(wait);
      });
    await running;
  };

  const schedule = (ms: number): void => {
    if (!started || closed) return;
    const at = performance.now() + ms;
    if (timer !== undefined && due <= at) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      timer = undefined;
      void flush();
    }, ms).unref();
  };

  const stopTopics = events.onTopic((topic) => {
    // A registration that has come about is a change of the network too.
    if (topic === 'debits' || topic === 'network') schedule(SOON_MS);
  });
  const stopListening = events.listen((changes) => {
    happened += changes.length;
    if (happened >= COUNT_AFTER_EVENTS) schedule(SOON_MS);
  });

  return {
    counts() {
      const state = store.state();
      return { waiting: store.waiting(), sent: state?.sent ?? 0, lastSent: state?.last_sent ?? null };
    },
    start() {
      started = true;
      // At once: where the exchange is new, counting begins with this look.
      schedule(0);
    },
    wake: () => schedule(0),
    flush,
    async close() {
      closed = true;
      stopTopics();
      stopListening();
      clearTimeout(timer);
      stopped.abort();
      await running;
    },
  };
};
