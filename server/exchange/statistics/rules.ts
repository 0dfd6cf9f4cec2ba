import { endpointSchema } from '../../wire/common.ts';
import type { StatisticEvent } from '../../wire/statistics.ts';

/**
 * What a report comes to. PDAs belong to others, so a report may say anything: names are taken only when they are such as a PDA has, and how
 * much one event or one day of one PDA can add is bounded.
 */

const DAY_MS = 86_400_000;

/** Days for which the exchange remembers an event. A PDA that was away for longer reports what came since. */
export const EVENT_DAYS = 35;
/** Milliseconds that an event may lie ahead of us: the clocks of PDAs are not ours. */
const AHEAD_MS = DAY_MS;
/** Values that one event adds at most. */
export const MAX_VALUES_PER_EVENT = 1_000_000;
const MAX_FIELD_DEPTH = 12;
/** Endpoints and fields that are named of one report. What it says beyond that is counted without a name. */
const MAX_NAMES_PER_REPORT = 5000;

/**
 * The path of a field as programs name them, `a.b`, `a[].b`. A key with spaces, an @ or a number in front is content more often than a name, and
 * nobody else shall read it.
 */
const SEGMENT = String.raw`[\p{L}_$][\p{L}\p{N}\p{M}_$-]{0,99}(?:\[\])*`;
const FIELD = new RegExp(String.raw`^(?:\[\])*\.?${SEGMENT}(?:\.${SEGMENT}){0,${MAX_FIELD_DEPTH - 1}}$`, 'u');

export const dayOf = (time: number): number => Math.floor(time / DAY_MS);
/** `2026-01-31` */
export const dateOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export type CountKind =
  | 'registration'
  | 'leaving'
  | 'events.in'
  | 'events.out'
  | 'events.debit'
  | 'values.in'
  | 'values.out'
  /** Values in, by the application that wrote them; its id is the name. */
  | 'application';

/** Something to be added to a sum. */
export type CountEntry = { kind: CountKind; name: string; day: number; amount: number };
/** Values of an endpoint (field empty) or of one of its fields. */
export type NameEntry = { endpoint: string; field: string; amount: number };

/** Sums by key, without the key's text being taken apart again. */
const createSums = <Entry extends { amount: number }>() => {
  const entries = new Map<string, Entry>();
  return {
    add(key: string, entry: Entry) {
      const known = entries.get(key);
      if (known === undefined) entries.set(key, { ...entry });
      else known.amount += entry.amount;
    },
    list: () => [...entries.values()],
    count: () => entries.size,
  };
};

export const createCountSums = () => {
  const sums = createSums<CountEntry>();
  return {
    add: (entry: CountEntry) => sums.add(`${entry.kind} ${entry.day} ${entry.name}`, entry),
    list: sums.list,
  };
};

/** Neither part can hold a space. */
export const nameKey = (name: Pick<NameEntry, 'endpoint' | 'field'>): string => `${name.endpoint} ${name.field}`;

export const createNameSums = () => {
  const sums = createSums<NameEntry>();
  return { add: (entry: NameEntry) => sums.add(nameKey(entry), entry), list: sums.list, count: sums.count };
};

/** Whether an event is counted at all: one that is older than what is remembered could be counted twice. */
export const isCounted = (event: Pick<StatisticEvent, 'time'>, now: number): boolean =>
  event.time > now - EVENT_DAYS * DAY_MS && event.time < now + AHEAD_MS;

/** The days before this one are forgotten: no event of them is counted any more, however late it comes. */
export const forgottenBefore = (now: number): number => dayOf(now) - EVENT_DAYS - 2;

type DataEvent = Extract<StatisticEvent, { stats: unknown }>;

/** The name of an application that the exchange does not know: what a PDA writes there is not shown. */
export const OTHER_APPLICATIONS = 'other';

/** What one PDA may still add today. */
export type Room = { valuesIn: number; valuesOut: number };

/**
 * The sums of events that are counted for the first time. What goes beyond the room is left out; which events that hits depends on the order in
 * which they came, and nothing else does.
 */
export const tally = (events: readonly StatisticEvent[], applications: ReadonlySet<string>, room: Room) => {
  const counts = createCountSums();
  const names = createNameSums();
  const used = { valuesIn: 0, valuesOut: 0 };
  const endpoints = new Map<string, boolean>();
  const isEndpoint = (text: string): boolean => {
    const known = endpoints.get(text) ?? endpointSchema.safeParse(text).success;
    endpoints.set(text, known);
    return known;
  };

  const takeNames = (event: DataEvent, left: number): number => {
    let taken = 0;
    for (const { endpoint, propertyStats } of event.stats) {
      const shown = event.statsType === 'inbound' && names.count() < MAX_NAMES_PER_REPORT && isEndpoint(endpoint);
      let ofEndpoint = 0;
      for (const [field, values] of Object.entries(propertyStats)) {
        const amount = Math.min(values, left - taken - ofEndpoint);
        ofEndpoint += amount;
        if (shown && field.length <= 300 && FIELD.test(field)) names.add({ endpoint, field, amount });
      }
      taken += ofEndpoint;
      if (shown) names.add({ endpoint, field: '', amount: ofEndpoint });
    }
    return taken;
  };

  for (const event of events) {
    const day = dayOf(event.time);
    if (event.statsType === 'datadebit') {
      counts.add({ kind: 'events.debit', name: '', day, amount: 1 });
      continue;
    }
    const inward = event.statsType === 'inbound';
    const left = inward ? room.valuesIn - used.valuesIn : room.valuesOut - used.valuesOut;
    const amount = takeNames(event, Math.max(0, Math.min(MAX_VALUES_PER_EVENT, left)));
    counts.add({ kind: inward ? 'events.in' : 'events.out', name: '', day, amount: 1 });
    counts.add({ kind: inward ? 'values.in' : 'values.out', name: '', day, amount });
    if (event.statsType === 'inbound') {
      const id = event.application.toLowerCase();
      const name = applications.has(id) ? id : OTHER_APPLICATIONS;
      counts.add({ kind: 'application', name, day, amount });
      used.valuesIn += amount;
    } else used.valuesOut += amount;
  }
  return { counts: counts.list(), names: names.list(), used };
};

/** Endpoints before their fields, else by spelling: what a budget is spent on does not depend on how a report is ordered. */
export const inOrder = (names: readonly NameEntry[]): NameEntry[] =>
  names.toSorted(
    (a, b) =>
      Number(a.field !== '') - Number(b.field !== '') || compare(a.endpoint, b.endpoint) || compare(a.field, b.field),
  );

export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** PDAs that a name can tell apart. */
const BITS = 50n;

export const bitOf = (digest: bigint): number => Number(digest % BITS);

/** Sets bits of a number that is stored as one. */
export const withBits = (seen: number, more: bigint): { seen: number; pdas: number } => {
  const bits = BigInt(seen) | more;
  let pdas = 0;
  for (let left = bits; left > 0n; left &= left - 1n) pdas += 1;
  return { seen: Number(bits), pdas };
};
