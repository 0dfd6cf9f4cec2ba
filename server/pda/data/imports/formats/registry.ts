import type { BankOptions } from '../../../../wire/imports.ts';
import { createBankReader } from './bank.ts';
import { createCalendarReader, isCalendar } from './calendar.ts';
import { createContactsReader, isContacts } from './contacts.ts';
import type { EntrySink, Kind, Reader } from '../parsing/entries.ts';
import { createActivityPageReader, createActivityReader, isActivity, isActivityPage } from './google-activity.ts';
import { createPlacesReader, isPlaces } from './google-places.ts';
import { createEcgReader, createHealthReader, isEcg, isHealth } from './apple-health.ts';
import { createMailReader, isMailbox, isMessage } from './mailbox.ts';
import { createAsUtf8, decoderFor } from '../parsing/text-lines.ts';

/** Bytes of a file that are enough to tell what it is. */
export const HEAD_BYTES = 16_384;

type Reads = {
  readonly kinds: readonly Kind[];
  is(name: string, head: string): boolean;
  create(found: EntrySink): Reader;
};

/** Reads UTF-16 as well, as some programs write calendars and contacts. */
const inAnyEncoding =
  (create: (found: EntrySink) => Reader) =>
  (found: EntrySink): Reader => {
    const reader = create(found);
    const asUtf8 = createAsUtf8();
    return { push: (piece) => reader.push(asUtf8(piece)), end: () => reader.end() };
  };

/** What can be read, by what a file holds: names of files and folders are in the language of an account, and change. */
const READERS = {
  calendar: {
    kinds: ['calendar/events', 'calendar/tasks'],
    is: (_, head) => isCalendar(head),
    create: inAnyEncoding(createCalendarReader),
  },
  contacts: {
    kinds: ['contacts/people'],
    is: (_, head) => isContacts(head),
    create: inAnyEncoding(createContactsReader),
  },
  mailbox: {
    kinds: ['mail/messages'],
    is: (_, head) => isMailbox(head),
    create: (found) => createMailReader(found, false),
  },
  message: { kinds: ['mail/messages'], is: isMessage, create: (found) => createMailReader(found, true) },
  health: {
    kinds: ['health/records', 'health/workouts', 'health/days'],
    is: (_, head) => isHealth(head),
    create: createHealthReader,
  },
  ecg: { kinds: ['health/ecgs'], is: (name) => isEcg(name), create: createEcgReader },
  places: {
    kinds: ['google/locations', 'google/visits', 'google/trips'],
    is: (_, head) => isPlaces(head),
    create: inAnyEncoding(createPlacesReader),
  },
  activity: {
    kinds: ['google/activity'],
    is: (_, head) => isActivity(head),
    create: inAnyEncoding(createActivityReader),
  },
  activityPage: { kinds: ['google/activity'], is: (_, head) => isActivityPage(head), create: createActivityPageReader },
} as const satisfies Readonly<Record<string, Reads>>;

export type ReaderName = keyof typeof READERS | 'bank';

/** Endings of names behind which nothing is that we read: a look into each of a hundred thousand pictures would take its time. */
const NEVER =
  /\.(?:jpe?g|png|gif|heic|webp|mp4|mov|avi|mp3|m4a|wav|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|dng|raw|gpx|css|js)$/iu;
const PICTURE_NOTES = /\.(?:jpe?g|png|gif|heic|webp|mp4|mov|dng)(?:\.[a-z-]+)?(?:\(\d+\))?\.json$/iu;

/** Whether a look into a member of an archive is worth it. */
export const isWorthALook = (name: string): boolean =>
  !NEVER.test(name) && !PICTURE_NOTES.test(name) && !/(?:^|\/)(?:__MACOSX|\.DS_Store)/u.test(name);

export const readerOf = (name: string, head: Buffer): ReaderName | undefined => {
  const text = decoderFor(head)
    .decode(head)
    .replace(/^\uFEFF/u, '');
  for (const [reader, reads] of Object.entries(READERS)) if (reads.is(name, text)) return reader as ReaderName;
  return undefined;
};

export const kindsOf = (reader: ReaderName): readonly Kind[] =>
  reader === 'bank' ? ['bank/transactions'] : READERS[reader].kinds;

export const createReader = (reader: ReaderName, found: EntrySink, bank: BankOptions | undefined): Reader => {
  if (reader !== 'bank') return READERS[reader].create(found);
  if (bank === undefined) throw new Error('a bank statement is read by what its columns are');
  return createBankReader(found, bank);
};
