import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { uuidV7 } from '../../../platform/postgres/uuid-v7.ts';
import { createRateLimit } from '../../../platform/limits/rate-limit.ts';
import type { StatisticEvent } from '../../../wire/statistics.ts';
import type { Database, Tx } from '../../storage/index.ts';
import { bitOf, dayOf, isCounted, nameEntryKey, sortNames, tally, type NameEntry } from '../rules.ts';
import {
  lockPdaReports,
  insertAddition,
  insertEvents,
  insertNames,
  findKnownNames,
  writePdaReports,
  type PdaReports,
} from '../store.ts';

/** Limits per PDA and day, far above one person's use. Inbound and outbound values are limited separately. */
const MAX_EVENTS_PER_DAY = 200_000;
const MAX_VALUES_PER_DAY = 10_000_000;
const MAX_NEW_NAMES_PER_DAY = 2000;
/** Limit on the names that a PDA adds in total. */
const MAX_NEW_NAMES = 20_000;

/** Rate limit per PDA. A PDA that was offline sends many reports in quick succession. */
const REPORT_BURST = 200;
const REPORT_INTERVAL_MS = 200;

/** Size above which the cache of known names is cleared. Most reports contain the same few names. */
const KNOWN_NAMES_CACHE_MAX = 100_000;

type DebitEvent = Extract<StatisticEvent, { statsType: 'datadebit' }>;

const ENABLED_BY_OPERATION: Partial<Record<DebitEvent['operation'], boolean>> = {
  Enable: true,
  Disable: false,
  Remove: false,
};

const secondsUntilTomorrow = (now: number): string => String(Math.ceil(((dayOf(now) + 1) * 86_400_000 - now) / 1000));

/** Returns the PDA's bit in the estimate of reporting PDAs. It depends only on the address, not on the registration. */
const bitOfPda = (address: string): number => bitOf(BigInt(`0x${hash('sha256', address).slice(0, 15)}`));

/** Returns the first event with each id. Ids are compared in lower case, as the database writes them. */
const deduplicate = (events: readonly StatisticEvent[]): Map<string, StatisticEvent> => {
  const eventsById = new Map<string, StatisticEvent>();
  for (const event of events) {
    const id = event.id.toLowerCase();
    if (!eventsById.has(id)) eventsById.set(id, event);
  }
  return eventsById;
};

/** Creates the function that stores reports, each in one transaction. The function counts an event at most once. */
export const createReporting = (parts: {
  database: Database;
  applyDebitReport: (tx: Tx, pdaId: string, dataDebitKey: string, enabled: boolean, time: number) => Promise<void>;
  listApplicationIds: () => Promise<ReadonlySet<string>>;
  clock: Clock;
}) => {
  const { database, applyDebitReport, listApplicationIds, clock } = parts;
  const rateLimit = createRateLimit({ burst: REPORT_BURST, intervalMs: REPORT_INTERVAL_MS, clock });
  let knownNamesCache = new Set<string>();

  /** Returns known names, and new names up to this PDA's limits. Inserts the new names and counts them in `pda`. */
  const admitNames = async (
    tx: Tx,
    names: readonly NameEntry[],
    pda: PdaReports,
    now: number,
  ): Promise<NameEntry[]> => {
    const uncachedNames = names.filter((name) => !knownNamesCache.has(nameEntryKey(name)));
    if (uncachedNames.length === 0) return [...names];
    const existingKeys = new Set((await findKnownNames(tx, uncachedNames)).map(nameEntryKey));
    const allowance = Math.min(MAX_NEW_NAMES_PER_DAY - pda.names_today, MAX_NEW_NAMES - pda.names_total);
    const newNames = sortNames(uncachedNames.filter((name) => !existingKeys.has(nameEntryKey(name)))).slice(
      0,
      Math.max(0, allowance),
    );
    if (newNames.length > 0) await insertNames(tx, newNames, now);
    pda.names_today += newNames.length;
    pda.names_total += newNames.length;
    const acceptedKeys = new Set([...existingKeys, ...newNames.map(nameEntryKey)]);
    return names.filter((name) => knownNamesCache.has(nameEntryKey(name)) || acceptedKeys.has(nameEntryKey(name)));
  };

  const cacheNames = (names: readonly NameEntry[]): void => {
    if (knownNamesCache.size > KNOWN_NAMES_CACHE_MAX) knownNamesCache = new Set();
    for (const name of names) knownNamesCache.add(nameEntryKey(name));
  };

  return async (
    { pdaId, address }: { pdaId: string; address: string },
    reportedEvents: readonly StatisticEvent[],
  ): Promise<{ taken: number; known: number }> => {
    const waitMs = rateLimit.take(address);
    if (waitMs > 0) {
      throw new Failure('rate_limited', 'This PDA reports too often. Send more events per report.', {
        headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
      });
    }
    const applications = await listApplicationIds();
    const eventsById = deduplicate(reportedEvents);
    const outcome = await database.transact(async (tx) => {
      const now = clock.now();
      const day = dayOf(now);
      const row = await lockPdaReports(tx, pdaId, now, day);
      // The PDA may have left since it was authenticated. Nothing would delete what is stored for it afterwards.
      if (row === undefined) throw new Failure('not_found', 'This PDA is no longer registered.');
      const pda: PdaReports =
        row.day === day
          ? { ...row, last: now }
          : { ...row, last: now, day, events_today: 0, values_in_today: 0, values_out_today: 0, names_today: 0 };
      const countedIds = [...eventsById].filter(([, event]) => isCounted(event, now)).map(([id]) => id);
      const newIds = await insertEvents(tx, { pdaId, ids: countedIds, day });
      const events = [...eventsById].flatMap(([id, event]) => (newIds.has(id) ? [event] : []));
      if (pda.events_today + events.length > MAX_EVENTS_PER_DAY) {
        throw new Failure('rate_limited', 'This PDA has reported too many events today. Try again tomorrow.', {
          headers: { 'retry-after': secondsUntilTomorrow(now) },
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
      const acceptedNames = await admitNames(tx, names, pda, now);
      if (counts.length > 0) {
        await insertAddition(tx, { id: uuidV7(now), time: now, bit: bitOfPda(address), counts, names: acceptedNames });
      }
      await writePdaReports(tx, pda);
      // Includes repeated and late events: a Data Debit's newest event wins, in whatever order the events arrive.
      const debits = [...eventsById.values()].filter((event) => event.statsType === 'datadebit');
      for (const { dataDebitKey, operation, time } of debits.toSorted((a, b) => a.time - b.time)) {
        const enabled = ENABLED_BY_OPERATION[operation];
        if (enabled !== undefined) await applyDebitReport(tx, pdaId, dataDebitKey, enabled, time);
      }
      return { taken: events.length, acceptedNames };
    });
    // Cached after the commit, so that the cache contains only stored names.
    cacheNames(outcome.acceptedNames);
    return { taken: outcome.taken, known: reportedEvents.length - outcome.taken };
  };
};
