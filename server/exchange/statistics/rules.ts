import { endpointSchema } from '../../wire/common.ts';
import type { StatisticEvent } from '../../wire/statistics.ts';

const DAY_MS = 86_400_000;

/** Age in days from which events are not counted. Event ids are stored for longer (see `firstRetainedDay`). */
const EVENT_MAX_AGE_DAYS = 35;
/** An event may be in the future by less than this time, because clocks differ. */
const CLOCK_SKEW_MAX_MS = DAY_MS;
const MAX_VALUES_PER_EVENT = 1_000_000;
const MAX_FIELD_DEPTH = 12;
const MAX_FIELD_CHARS = 300;
/** Once a report has this number of names, the values of further endpoints are counted without a name. */
const MAX_NAMES_PER_REPORT = 5000;

/**
 * Part of a field path. Keys that contain a space or an @, or start with a digit, are often personal data and are not
 * accepted.
 */
const SEGMENT = String.raw`[\p{L}_$][\p{L}\p{N}\p{M}_$-]{0,99}(?:\[\])*`;
const FIELD = new RegExp(String.raw`^(?:\[\])*\.?${SEGMENT}(?:\.${SEGMENT}){0,${MAX_FIELD_DEPTH - 1}}$`, 'u');

/** Returns the UTC day as the number of days since 1970. @param time Unix milliseconds */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);
export const dateOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export type CountKind =
  | 'registration'
  | 'leaving'
  | 'events.in'
  | 'events.out'
  | 'events.debit'
  | 'values.in'
  | 'values.out'
  /** Inbound values by application; `name` is its id in lower case, or `other`. */
  | 'application';

/** Part of a total. `day` is the number of days since 1970. */
export type CountEntry = { kind: CountKind; name: string; day: number; amount: number };
/** Number of values of an endpoint (empty `field`) or of one of its fields. */
export type NameEntry = { endpoint: string; field: string; amount: number };

const createSums = <Entry extends { amount: number }>(keyOf: (entry: Entry) => string) => {
  const entries = new Map<string, Entry>();
  return {
    add(entry: Entry): void {
      const key = keyOf(entry);
      const existing = entries.get(key);
      if (existing === undefined) entries.set(key, { ...entry });
      else existing.amount += entry.amount;
    },
    list: () => [...entries.values()],
    count: () => entries.size,
  };
};

export const countEntryKey = ({ kind, day, name }: Omit<CountEntry, 'amount'>): string => `${kind} ${day} ${name}`;

export const createCountSums = () => createSums<CountEntry>(countEntryKey);

/** The key is unambiguous, because neither endpoint nor field can contain a space. */
export const nameEntryKey = (name: Pick<NameEntry, 'endpoint' | 'field'>): string => `${name.endpoint} ${name.field}`;

export const createNameSums = () => createSums<NameEntry>(nameEntryKey);

/**
 * Returns true if an event is recent enough to be counted. An older event could be counted twice, because its id may
 * have been deleted. An event too far in the future is not counted either.
 */
export const isCounted = (event: Pick<StatisticEvent, 'time'>, now: number): boolean =>
  event.time > now - EVENT_MAX_AGE_DAYS * DAY_MS && event.time < now + CLOCK_SKEW_MAX_MS;

/** Returns the first day whose event ids are kept. Events received on earlier days are too old to be counted again. */
export const firstRetainedDay = (now: number): number => dayOf(now) - EVENT_MAX_AGE_DAYS - 2;

type DataEvent = Extract<StatisticEvent, { stats: unknown }>;

/** Replaces the ids of unpublished applications, because a PDA could invent them. */
const OTHER_APPLICATIONS = 'other';

type ValueAllowance = { valuesIn: number; valuesOut: number };

/** Sums the values of events. Drops values above the limit per event and above the allowance, the last ones first. */
export const tally = (
  events: readonly StatisticEvent[],
  applications: ReadonlySet<string>,
  allowance: ValueAllowance,
) => {
  const counts = createCountSums();
  const names = createNameSums();
  const used = { valuesIn: 0, valuesOut: 0 };
  const endpoints = new Map<string, boolean>();
  const isEndpoint = (text: string): boolean => {
    const isValid = endpoints.get(text) ?? endpointSchema.safeParse(text).success;
    endpoints.set(text, isValid);
    return isValid;
  };

  /** Adds the names of an event. @returns the number of its values, at most `remaining` */
  const addNames = (event: DataEvent, remaining: number): number => {
    let total = 0;
    for (const { endpoint, propertyStats } of event.stats) {
      const isNamed = event.statsType === 'inbound' && names.count() < MAX_NAMES_PER_REPORT && isEndpoint(endpoint);
      let endpointTotal = 0;
      for (const [field, values] of Object.entries(propertyStats)) {
        const amount = Math.min(values, remaining - total - endpointTotal);
        endpointTotal += amount;
        if (isNamed && field.length <= MAX_FIELD_CHARS && FIELD.test(field)) names.add({ endpoint, field, amount });
      }
      total += endpointTotal;
      if (isNamed) names.add({ endpoint, field: '', amount: endpointTotal });
    }
    return total;
  };

  for (const event of events) {
    const day = dayOf(event.time);
    if (event.statsType === 'datadebit') {
      counts.add({ kind: 'events.debit', name: '', day, amount: 1 });
      continue;
    }
    const isInbound = event.statsType === 'inbound';
    const remaining = isInbound ? allowance.valuesIn - used.valuesIn : allowance.valuesOut - used.valuesOut;
    const amount = addNames(event, Math.max(0, Math.min(MAX_VALUES_PER_EVENT, remaining)));
    counts.add({ kind: isInbound ? 'events.in' : 'events.out', name: '', day, amount: 1 });
    counts.add({ kind: isInbound ? 'values.in' : 'values.out', name: '', day, amount });
    if (event.statsType === 'inbound') {
      const id = event.application.toLowerCase();
      const name = applications.has(id) ? id : OTHER_APPLICATIONS;
      counts.add({ kind: 'application', name, day, amount });
      used.valuesIn += amount;
    } else used.valuesOut += amount;
  }
  return { counts: counts.list(), names: names.list(), used };
};

/** Sorts endpoints before fields, then by name, so that limits do not depend on the order in a report. */
export const sortNames = (names: readonly NameEntry[]): NameEntry[] =>
  names.toSorted(
    (a, b) =>
      Number(a.field !== '') - Number(b.field !== '') ||
      compareText(a.endpoint, b.endpoint) ||
      compareText(a.field, b.field),
  );

/** Compares by code unit. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const ESTIMATE_BITS = 50n;

/** Returns the bit of a PDA in the estimate of reporting PDAs. @param digest hash of the PDA's address */
export const bitOf = (digest: bigint): number => Number(digest % ESTIMATE_BITS);

/**
 * Combines the bits of PDAs that were stored with those of new reports.
 * @returns `pdas`: the number of set bits, which estimates the number of PDAs
 */
export const withBits = (seenBits: number, newBits: bigint): { seen: number; pdas: number } => {
  const bits = BigInt(seenBits) | newBits;
  let pdas = 0;
  for (let remaining = bits; remaining > 0n; remaining &= remaining - 1n) pdas += 1;
  return { seen: Number(bits), pdas };
};
