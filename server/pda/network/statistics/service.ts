import { backoffMsOf, isTimeDue } from '../../../platform/async/backoff.ts';
import type { Log } from '../../../platform/log.ts';
import type { StatisticEvent } from '../../../wire/statistics.ts';
import { statisticEventSchema } from '../../../wire/statistics.ts';
import type { EventService } from '../../core/events/service.ts';
import type { ExchangeLink, ReportCounts } from '../exchange/service.ts';
import type { Database } from '../../storage/index.ts';
import { createCollector, type CollectorParts } from './collector.ts';
import { createStatisticsStore, type ReportRow, type StateRow } from './store.ts';

/**
 * Reports counts of records and changes of Data Debits to the exchange. Reports contain no values, and `*` in place of
 * object keys that do not look like field names.
 */
export type StatisticsService = {
  counts: ReportCounts;
  start(): void;
  wake(): void;
  flush(): Promise<void>;
  close(): Promise<void>;
};

export type StatisticsParts = Omit<CollectorParts, 'store'> & {
  db: Database;
  events: Pick<EventService, 'onTopic' | 'listen' | 'notify'>;
  /** Returns the URL of the exchange that receives the reports. Nothing is counted if it is undefined. */
  reportsTo: () => string | undefined;
  exchange: Pick<ExchangeLink, 'registeredExchange' | 'call'>;
  log: Log;
  random?: () => number;
};

/** A run starts after this time, or soon after this many new change events. */
const RUN_INTERVAL_MS = 60_000;
const RUN_AFTER_EVENTS = 100;
/** Requesters wait for reports about a Data Debit, so a change starts a run after this delay. */
const PROMPT_RUN_MS = 200;
const BATCH_MAX_EVENTS = 100;
const BATCH_MAX_CHARACTERS = 2_000_000;
const REPORT_TIMEOUT_MS = 20_000;
const RESPONSE_MAX_BYTES = 10_000;
const RETRY_MIN_MS = 10_000;
const RETRY_MAX_MS = 3_600_000;

/** Validates the event before it is sent, so that nothing else leaves this PDA. Returns undefined if it is invalid. */
const eventOf = ({ id, kind, subject, time, body }: ReportRow): StatisticEvent | undefined => {
  const subjectField = kind === 'inbound' ? { application: subject } : { dataDebitKey: subject };
  const content: unknown = JSON.parse(body);
  const fields = typeof content === 'object' && content !== null ? content : {};
  return statisticEventSchema.safeParse({ ...fields, ...subjectField, id, time, statsType: kind }).data;
};

export const createStatisticsService = (parts: StatisticsParts): StatisticsService => {
  const { writer, events, clock, log, random = Math.random } = parts;
  const store = createStatisticsStore(parts.db);
  const collector = createCollector({ ...parts, store });
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  let currentRun: Promise<void> | undefined;
  let isStarted = false;
  let isClosed = false;
  let newEventCount = 0;
  const abortController = new AbortController();
  /** Reduced to 1 after the exchange rejected a batch, to find the rejected event. */
  let batchSize = BATCH_MAX_EVENTS;

  /**
   * Returns true if the owner agreed to this report. A claim includes the consent to reports about its Data Debit,
   * because the exchange needs them to confirm the claim.
   */
  const mayReport = ({ kind, subject }: Pick<ReportRow, 'kind' | 'subject'>): boolean =>
    parts.areStatisticsAllowed() || (kind === 'datadebit' && parts.isClaimed(subject));

  const prepareState = async (): Promise<StateRow | undefined> => {
    const service = parts.reportsTo();
    const state = store.state();
    if (state?.service === service) {
      const rows = parts.areStatisticsAllowed() ? [] : store.subjects();
      const forbiddenSeqs = rows.filter((row) => !mayReport(row)).map(({ seq }) => seq);
      if (forbiddenSeqs.length === 0) return state;
      await writer.write((tx) => store.remove(tx, forbiddenSeqs));
      return store.state();
    }
    await writer.write((tx) => {
      if (service === undefined) store.end(tx);
      else store.begin(tx, { service, ...collector.initialCursors() });
    });
    return store.state();
  };

  const nextBatch = (): ReportRow[] => {
    const rows = store.oldestReports(batchSize);
    let characters = 0;
    const firstExcessIndex = rows.findIndex(({ body }) => (characters += body.length) > BATCH_MAX_CHARACTERS);
    return firstExcessIndex === -1 ? rows : rows.slice(0, Math.max(1, firstExcessIndex));
  };

  const sendBatch = async (state: StateRow): Promise<boolean> => {
    if (!isTimeDue(state.next_attempt, clock.now(), RETRY_MAX_MS)) return false;
    if (parts.exchange.registeredExchange() === undefined) return false;
    const rows = nextBatch();
    if (rows.length === 0) return false;
    const seqs = rows.map(({ seq }) => seq);
    const batch = rows.map(eventOf).filter((event) => event !== undefined);
    if (batch.length < rows.length) {
      log.error({ events: rows.length - batch.length }, 'invalid statistics were dropped');
      const validIds = new Set(batch.map(({ id }) => id));
      const invalidSeqs = rows.filter(({ id }) => !validIds.has(id)).map(({ seq }) => seq);
      await writer.write((tx) => store.remove(tx, invalidSeqs));
      return true;
    }
    // Marked before the first byte is sent, because an event that may have been delivered must keep its id and counts.
    if (rows.some(({ tried }) => tried === 0)) await writer.write((tx) => store.markTried(tx, seqs));
    // The owner may have turned statistics off during the write.
    if (!rows.every(mayReport)) return true;
    const response = await parts.exchange.call({
      method: 'POST',
      path: '/stats/report',
      body: batch,
      timeoutMs: REPORT_TIMEOUT_MS,
      maxBytes: RESPONSE_MAX_BYTES,
      signal: abortController.signal,
    });
    // The owner may have chosen another exchange during the request.
    if (abortController.signal.aborted || store.state()?.service !== state.service) return false;
    const now = clock.now();
    if (response.ok && response.status >= 200 && response.status < 300) {
      batchSize = BATCH_MAX_EVENTS;
      await writer.write((tx) => {
        store.remove(tx, seqs);
        store.recordDelivery(tx, seqs.length, now);
        events.notify(tx, 'network');
      });
      return true;
    }
    const isRejected = response.ok && (response.status === 400 || response.status === 413 || response.status === 422);
    if (isRejected && rows.length > 1) {
      batchSize = 1;
      return true;
    }
    if (isRejected) {
      log.warn({ event: rows[0]?.id, status: response.status }, 'the exchange rejected a report, which is dropped');
      await writer.write((tx) => store.remove(tx, seqs));
      return true;
    }
    const attempts = state.attempts + 1;
    const delayMs = backoffMsOf(attempts, { firstMs: RETRY_MIN_MS, longestMs: RETRY_MAX_MS, random: random() });
    await writer.write((tx) => store.recordFailure(tx, attempts, now + delayMs));
    return false;
  };

  const run = async (): Promise<void> => {
    newEventCount = 0;
    for (let hasMore = true; hasMore && !isClosed;) {
      const state = await prepareState();
      if (state === undefined) return;
      hasMore = await collector.collect(state);
    }
    for (let hasMore = true; hasMore && !isClosed;) {
      const state = await prepareState();
      hasMore = state !== undefined && (await sendBatch(state));
    }
  };

  const nextRunDelayMs = (): number => {
    const waitMs = (store.state()?.next_attempt ?? 0) - clock.now();
    return waitMs > 0 ? Math.min(RUN_INTERVAL_MS, waitMs) : RUN_INTERVAL_MS;
  };

  const flush = async (): Promise<void> => {
    // The run in progress may have missed the latest events.
    await currentRun;
    if (isClosed) return;
    currentRun ??= run()
      .then(nextRunDelayMs)
      .catch((error: unknown) => {
        log.error({ err: error }, 'statistics could not be counted or sent; retrying');
        return RUN_INTERVAL_MS;
      })
      .then((delayMs) => {
        currentRun = undefined;
        schedule(delayMs);
      });
    await currentRun;
  };

  const schedule = (ms: number): void => {
    if (!isStarted || isClosed) return;
    const time = performance.now() + ms;
    if (timer !== undefined && dueAt <= time) return;
    clearTimeout(timer);
    dueAt = time;
    timer = setTimeout(() => {
      timer = undefined;
      void flush();
    }, ms).unref();
  };

  const stopListeningToTopics = events.onTopic((topic) => {
    // `network` includes a successful registration, after which reports can be sent.
    if (topic === 'debits' || topic === 'network') schedule(PROMPT_RUN_MS);
  });
  const stopListening = events.listen((changes) => {
    newEventCount += changes.length;
    if (newEventCount >= RUN_AFTER_EVENTS) schedule(PROMPT_RUN_MS);
  });

  return {
    counts() {
      const state = store.state();
      return { waiting: store.pendingCount(), sent: state?.sent ?? 0, lastSent: state?.last_sent ?? null };
    },
    start() {
      isStarted = true;
      schedule(0);
    },
    wake: () => schedule(0),
    flush,
    async close() {
      isClosed = true;
      stopListeningToTopics();
      stopListening();
      clearTimeout(timer);
      abortController.abort();
      await currentRun;
    },
  };
};
