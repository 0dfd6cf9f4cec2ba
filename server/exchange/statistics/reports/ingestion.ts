import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { uuidV7 } from '../../../platform/postgres/uuid-v7.ts';
import { createRateLimit } from '../../../platform/limits/rate-limit.ts';
import type { StatisticEvent } from '../../../wire/statistics.ts';
import type { Database, Tx } from '../../storage/index.ts';
import type { PdaReportsTable } from '../../storage/tables/statistics.ts';
import { bitOf, dayOf, inOrder, isCounted, nameKey, tally, type NameEntry } from '../rules.ts';
import { holdPda, insertAddition, insertEvents, insertNames, knownNames, writePda } from '../store.ts';

/** Takes reports of PDAs: all of a report or nothing, and each event once. */

/** What one PDA adds on one day at most. It is far beyond what one person's data comes to. */
const MAX_EVENTS_PER_DAY = 200_000;
const MAX_VALUES_PER_DAY = 10_000_000;
/** Names of endpoints and fields that nobody reported before. */
const MAX_NEW_NAMES_PER_DAY = 2000;
const MAX_NEW_NAMES = 20_000;

/** Reports of one PDA that are let through at once, and milliseconds until one more is. A PDA that was away sends what it kept. */
const REPORT_BURST = 200;
const REPORT_INTERVAL_MS = 200;

/** Names that are remembered as known: in the end the same few come all the time. */
const MAX_KNOWN_NAMES = 100_000;

/** Takes down whether a Data Debit is enabled, should it be a claim's. Older news than what is known changes nothing. */
export type Confirmation = (
  tx: Tx,
  pdaId: string,
  dataDebitKey: string,
  enabled: boolean,
  time: number,
) => Promise<void>;

type DebitEvent = Extract<StatisticEvent, { statsType: 'datadebit' }>;

const OUTCOME: Partial<Record<DebitEvent['operation'], boolean>> = { Enable: true, Disable: false, Remove: false };

const tomorrow = (now: number): string => String(Math.ceil(((dayOf(now) + 1) * 86_400_000 - now) / 1000));

/** One PDA is one bit of a name, by its address: whoever leaves and comes again is still one. */
const bitOfPda = (address: string): number => bitOf(BigInt(`0x${hash('sha256', address).slice(0, 15)}`));

/** The first of each id. Ids are compared as the database writes them. */
const withoutTwins = (events: readonly StatisticEvent[]): Map<string, StatisticEvent> => {
  const byId = new Map<string, StatisticEvent>();
  for (const event of events) {
    const id = event.id.toLowerCase();
    if (!byId.has(id)) byId.set(id, event);
  }
  return byId;
};

export const createReporting = (parts: {
  database: Database;
  applyDebitReport: Confirmation;
  /** Ids of the published applications, in lower case. */
  applicationIds: () => Promise<ReadonlySet<string>>;
  clock: Clock;
}) => {
  const { database, applyDebitReport, applicationIds, clock } = parts;
  const pace = createRateLimit({ burst: REPORT_BURST, intervalMs: REPORT_INTERVAL_MS, clock });
  let known = new Set<string>();

  /** Of these names, those that may be counted: somebody reported them before, or this PDA still has room for new ones. */
  const admit = async (
    tx: Tx,
    names: readonly NameEntry[],
    pda: PdaReportsTable,
    now: number,
  ): Promise<NameEntry[]> => {
    const unsure = names.filter((name) => !known.has(nameKey(name)));
    if (unsure.length === 0) return [...names];
    const there = new Set((await knownNames(tx, unsure)).map(nameKey));
    const room = Math.min(MAX_NEW_NAMES_PER_DAY - pda.names_today, MAX_NEW_NAMES - pda.names_total);
    const fresh = inOrder(unsure.filter((name) => !there.has(nameKey(name)))).slice(0, Math.max(0, room));
    if (fresh.length > 0) await insertNames(tx, fresh, now);
    pda.names_today += fresh.length;
    pda.names_total += fresh.length;
    const admitted = new Set([...there, ...fresh.map(nameKey)]);
    return names.filter((name) => known.has(nameKey(name)) || admitted.has(nameKey(name)));
  };

  const remember = (names: readonly NameEntry[]): void => {
    if (known.size > MAX_KNOWN_NAMES) known = new Set();
    for (const name of names) known.add(nameKey(name));
  };

  return async (
    { pdaId, address }: { pdaId: string; address: string },
    sent: readonly StatisticEvent[],
  ): Promise<{ taken: number; known: number }> => {
    const wait = pace.take(address);
    if (wait > 0) {
      throw new Failure('rate_limited', 'This PDA reports too often. Send more events at once.', {
        headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
      });
    }
    const applications = await applicationIds();
    const byId = withoutTwins(sent);
    const outcome = await database.transact(async (tx) => {
      const now = clock.now();
      const day = dayOf(now);
      const held = await holdPda(tx, pdaId, now, day);
      const pda: PdaReportsTable =
        held.day === day
          ? { ...held, last: now }
          : { ...held, last: now, day, events_today: 0, values_in_today: 0, values_out_today: 0, names_today: 0 };
      // Sorted: reports that hold the same events take them in the same order.
      const counted = [...byId].filter(([, event]) => isCounted(event, now)).map(([id]) => id);
      const fresh = await insertEvents(tx, { pdaId, ids: counted.toSorted(), day });
      const events = [...byId].flatMap(([id, event]) => (fresh.has(id) ? [event] : []));
      if (pda.events_today + events.length > MAX_EVENTS_PER_DAY) {
        throw new Failure('rate_limited', 'This PDA has reported more events today than one PDA can have.', {
          headers: { 'retry-after': tomorrow(now) },
        });
      }
      const { counts, names, used } = tally(events, applications, {
        valuesIn: MAX_VALUES_PER_DAY - pda.values_in_today,
        valuesOut: MAX_VALUES_PER_DAY - pda.values_out_today,
      });
      pda.events += events.length;
      pda.events_today += events.length;
      pda.values_in_today += used.valuesIn;
      pda.values_out_today += used.valuesOut;
      const admitted = await admit(tx, names, pda, now);
      if (counts.length > 0) {
        await insertAddition(tx, { id: uuidV7(now), time: now, bit: bitOfPda(address), counts, names: admitted });
      }
      await writePda(tx, pda);
      // Also of events that came before or came late: the newest is what counts there, whatever the order.
      const debits = [...byId.values()].filter((event) => event.statsType === 'datadebit');
      for (const { dataDebitKey, operation, time } of debits.toSorted((a, b) => a.time - b.time)) {
        const enabled = OUTCOME[operation];
        if (enabled !== undefined) await applyDebitReport(tx, pdaId, dataDebitKey, enabled, time);
      }
      return { taken: events.length, admitted };
    });
    // Only what is in the database for certain.
    remember(outcome.admitted);
    return { taken: outcome.taken, known: sent.length - outcome.taken };
  };
};
