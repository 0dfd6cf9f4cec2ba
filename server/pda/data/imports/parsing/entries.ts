/** Endpoints that importers store into, one per kind of entry. docs/importers.md describes their fields. */
export const ENTRY_KINDS = [
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
export type EntryKind = (typeof ENTRY_KINDS)[number];

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

export type ParsedEntry = {
  readonly kind: EntryKind;
  /** Together with `kind` and `at`, identifies this entry in every export of the same source. */
  readonly identity: string;
  /**
   * Unix milliseconds of a time that never changes. Keys of entries since 1970 begin with it, because inserts in key
   * order are fast.
   */
  readonly at?: number | undefined;
  readonly data: ParsedObject;
};

/** Receives the entries and problems of a reader. A `filePosition` is, for example, "line 12" or "entry 3". */
export type EntrySink = {
  /** Called before an entry is read. Returns false if the entry must be left out; it has then been reported. */
  beginEntry(filePosition: string): boolean;
  addEntry(entry: ParsedEntry, filePosition: string): void;
  /** Reports an entry or a line that cannot be read. `problem` begins in lower case and does not quote the file. */
  addProblem(filePosition: string, problem: string): void;
};

/** Parses a file chunk by chunk. Memory is bounded for any input. */
export type FormatReader = {
  push(chunk: Buffer): void | Promise<void>;
  end(): void | Promise<void>;
};

/** Thrown for an entry or a line that cannot be read. The message begins in lower case and does not quote the file. */
export class UnreadableEntry extends Error {}

export const readEntry = (sink: EntrySink, filePosition: string, read: () => void): void => {
  if (!sink.beginEntry(filePosition)) return;
  try {
    read();
  } catch (error) {
    if (!(error instanceof UnreadableEntry)) throw error;
    sink.addProblem(filePosition, error.message);
  }
};

/** Maximum characters or bytes of an entry or a line, unless its format has its own limit. Larger ones are left out. */
export const MAX_ENTRY_SIZE = 8_000_000;
/** Default limit of `truncateText`. */
export const MAX_TEXT_CHARS = 500_000;

/** Truncates a text. Never splits a surrogate pair. Replaces unpaired surrogates, because they cannot be stored. */
export const truncateText = (text: string, maxChars: number = MAX_TEXT_CHARS): string => {
  if (text.length <= maxChars) return text.toWellFormed();
  const isWithinPair = (text.codePointAt(maxChars - 1) ?? 0) > 0xff_ff;
  return text.slice(0, isWithinPair ? maxChars - 1 : maxChars).toWellFormed();
};

/** Trims and truncates a text. Returns undefined for an empty one, so that records have no empty members. */
export const nonEmptyText = (text: string | undefined): string | undefined => {
  const trimmedText = text?.trim();
  return trimmedText === undefined || trimmedText === '' ? undefined : truncateText(trimmedText);
};
/** Replaces each run of white space with one space. Returns undefined for an empty text. */
export const collapseSpaces = (text: string | undefined): string | undefined =>
  nonEmptyText(text?.replaceAll(/\s+/gu, ' '));
export const nonEmptyList = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
export const nonEmptyObject = (members: ReadonlyMap<string, ParsedJson>): ParsedObject | undefined =>
  members.size === 0 ? undefined : Object.fromEntries(members);

export const instantOf = (text: string): number | undefined => {
  const ms = Date.parse(text);
  return Number.isFinite(ms) ? ms : undefined;
};
/** Largest Unix time that a Date can represent. */
const MAX_DATE_MS = 8.64e15;

/** Formats a time as ISO 8601 in UTC, without milliseconds if they are zero; undefined if it is out of range. */
export const isoOf = (ms: number): string | undefined =>
  Number.isFinite(ms) && Math.abs(ms) < MAX_DATE_MS ? new Date(ms).toISOString().replace('.000Z', 'Z') : undefined;
