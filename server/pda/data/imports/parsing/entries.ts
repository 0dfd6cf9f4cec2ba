/** What a reader finds in a file: entries to store, and what it could not read. */

/** The endpoints that importers store into; each is one kind of thing. Their shapes are described in docs/importers.md. */
export const KINDS = [
  'calendar/events',
  'calendar/tasks',
  'contacts/people',
  'mail/messages',
  'health/records',
  'health/workouts',
  'health/days',
  'health/ecgs',
  'google/locations',
  'google/visits',
  'google/trips',
  'google/activity',
  'bank/transactions',
] as const;
export type Kind = (typeof KINDS)[number];

/** A JSON value; undefined members are omitted. */
export type ParsedJson =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly ParsedJson[]
  | { readonly [name: string]: ParsedJson };
export type ParsedObject = { readonly [name: string]: ParsedJson };

export type FoundEntry = {
  readonly kind: Kind;
  /** What makes it the same thing in another export of the same source. */
  readonly identity: string;
  /** Unix milliseconds of what never changes about it; keys in the order of time are quick to store. */
  readonly at?: number | undefined;
  readonly data: ParsedObject;
};

export type EntrySink = {
  /** @param place where in the file: "line 12", "entry 3" */
  entry(entry: FoundEntry, place: string): void;
  /** Something that cannot be read; the rest goes on. `problem` begins in lower case and holds no content of the file. */
  trouble(place: string, problem: string): void;
};

/** Takes a file in pieces, and hands over what is complete. Bounded in memory whatever comes. */
export type Reader = {
  push(piece: Buffer): void | Promise<void>;
  end(): void | Promise<void>;
};

/** Why one entry is given up; begins in lower case and holds no content of the file. */
export class UnreadableEntry extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'UnreadableEntry';
  }
}

/** Reads one entry. One that is given up is named with its place, and the rest of the file goes on. */
export const readEntry = (found: EntrySink, place: string, read: () => void): void => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof UnreadableEntry)) throw error;
    found.trouble(place, error.message);
  }
};

/** Characters or bytes of one entry in a file; beyond that it is counted as broken. */
export const MAX_ENTRY = 8_000_000;
/** Characters of one stored text. */
export const MAX_TEXT = 500_000;

/** A text that fits into a record, without halves of characters. */
export const fitting = (text: string, most: number = MAX_TEXT): string =>
  (text.length > most ? text.slice(0, most) : text).toWellFormed();

/** Undefined for what says nothing, so that records hold no empty members. */
export const orNothing = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim();
  return trimmed === undefined || trimmed === '' ? undefined : fitting(trimmed);
};
export const someOf = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);

/** Unix milliseconds of a time with its offset; undefined when it is none. */
export const instantOf = (text: string): number | undefined => {
  const ms = Date.parse(text);
  return Number.isFinite(ms) ? ms : undefined;
};
/** ISO 8601 in UTC, without milliseconds that are zero. */
export const isoOf = (ms: number): string | undefined =>
  Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString().replace('.000Z', 'Z') : undefined;
