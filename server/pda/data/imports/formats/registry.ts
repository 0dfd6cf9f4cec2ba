import type { BankOptions } from '../../../../wire/imports.ts';
import { createBankReader } from './bank.ts';
import { createCalendarReader, isCalendar } from './calendar.ts';
import { createContactsReader, isContacts } from './contacts.ts';
import type { EntrySink, EntryKind, FormatReader } from '../parsing/entries.ts';
import { createActivityPageReader, createActivityReader, isActivity, isActivityPage } from './google-activity.ts';
import { createLocationHistoryReader, isLocationHistory } from './google-location-history.ts';
import { createEcgReader, createHealthReader, isEcg, isHealthExport } from './apple-health.ts';
import { createMailReader, isMailbox, isMessage } from './mailbox.ts';
import { createUtf8Converter, decoderFor } from '../parsing/text-lines.ts';

/** Bytes of a file that suffice to detect its format. */
export const HEAD_BYTES = 16_384;

type FormatDefinition = {
  readonly kinds: readonly EntryKind[];
  matches(name: string, head: string): boolean;
  create(sink: EntrySink): FormatReader;
};

/** Returns a factory of readers that also accept UTF-16, which some programs write. */
const acceptUtf16 =
  (create: (sink: EntrySink) => FormatReader) =>
  (sink: EntrySink): FormatReader => {
    const reader = create(sink);
    const toUtf8 = createUtf8Converter();
    return { push: (chunk) => reader.push(toUtf8(chunk)), end: () => reader.end() };
  };

/**
 * Formats that are detected automatically. Most are detected by content, because file names depend on the language of
 * the exported account.
 */
const FORMATS = {
  calendar: {
    kinds: ['calendar/events', 'calendar/tasks'],
    matches: (_, head) => isCalendar(head),
    create: acceptUtf16(createCalendarReader),
  },
  contacts: {
    kinds: ['contacts/people'],
    matches: (_, head) => isContacts(head),
    create: acceptUtf16(createContactsReader),
  },
  mailbox: {
    kinds: ['mail/messages'],
    matches: (_, head) => isMailbox(head),
    create: (sink) => createMailReader(sink, false),
  },
  message: { kinds: ['mail/messages'], matches: isMessage, create: (sink) => createMailReader(sink, true) },
  health: {
    kinds: ['health/records', 'health/workouts', 'health/days'],
    matches: (_, head) => isHealthExport(head),
    create: createHealthReader,
  },
  ecg: { kinds: ['health/ecgs'], matches: (name) => isEcg(name), create: createEcgReader },
  places: {
    kinds: ['google/locations', 'google/visits', 'google/trips'],
    matches: (_, head) => isLocationHistory(head),
    create: acceptUtf16(createLocationHistoryReader),
  },
  activity: {
    kinds: ['google/activity'],
    matches: (_, head) => isActivity(head),
    create: acceptUtf16(createActivityReader),
  },
  activityPage: {
    kinds: ['google/activity'],
    matches: (_, head) => isActivityPage(head),
    create: createActivityPageReader,
  },
} as const satisfies Readonly<Record<string, FormatDefinition>>;

export type ReaderName = keyof typeof FORMATS | 'bank';

/** Extensions of files that are not opened: detecting the format of a hundred thousand pictures would take too long. */
const IGNORED_EXTENSIONS =
  /\.(?:jpe?g|png|gif|heic|webp|mp4|mov|avi|mp3|m4a|wav|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|dng|raw|gpx|css|js)$/iu;
/** JSON files that Google Photos writes beside each picture. */
const PICTURE_METADATA = /\.(?:jpe?g|png|gif|heic|webp|mp4|mov|dng)(?:\.[a-z-]+)?(?:\(\d+\))?\.json$/iu;

/** Returns false if the name of an archive member shows that it cannot be imported. */
export const mayBeImportable = (name: string): boolean =>
  !IGNORED_EXTENSIONS.test(name) && !PICTURE_METADATA.test(name) && !/(?:^|\/)(?:__MACOSX|\.DS_Store)/u.test(name);

export const detectReader = (name: string, head: Buffer): ReaderName | undefined => {
  const text = decoderFor(head).decode(head);
  for (const [reader, format] of Object.entries(FORMATS)) if (format.matches(name, text)) return reader as ReaderName;
  return undefined;
};

export const kindsOf = (reader: ReaderName): readonly EntryKind[] =>
  reader === 'bank' ? ['bank/transactions'] : FORMATS[reader].kinds;

export const createReader = (reader: ReaderName, sink: EntrySink, bank: BankOptions | undefined): FormatReader => {
  if (reader !== 'bank') return FORMATS[reader].create(sink);
  if (bank === undefined) throw new Error('a bank statement needs its column options');
  return createBankReader(sink, bank);
};
