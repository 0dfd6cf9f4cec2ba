import type { Language } from '../../../wire/language.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';

type ReaderKind = WeeklySummary['readers'][number]['who']['kind'];

type SummaryTexts = {
  title: (from: string, to: string) => string;
  readers: Readonly<Record<ReaderKind, string>>;
  /** `source`: endpoint of most records, or source of most files. `isMore`: there are other sources. */
  read: (reader: string, records: number, source: string, isMore: boolean) => string;
  opened: (reader: string, files: number, source: string, isMore: boolean) => string;
  refused: (reader: string, requests: number) => string;
  moreReaders: (readers: number) => string;
  onlyYou: string;
  news: (entries: number) => string;
  ending: (first: string, others: number) => string;
  invitation: (person: string) => string;
};

/** Formats in UTC, because a calendar day has no time zone. */
const formatDay = (date: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(new Date(date));
const englishDay = (date: string): string => formatDay(date, 'en-GB');
const germanDay = (date: string): string => formatDay(date, 'de-DE');

/** The names of some endpoints and sources are empty. */
const englishSource = (name: string, isMore: boolean): string =>
  name === '' ? '' : ` of ${name}${isMore ? ' and more' : ''}`;
const germanSource = (name: string, isMore: boolean): string =>
  name === '' ? '' : ` aus ${name}${isMore ? ' und mehr' : ''}`;

const en: SummaryTexts = {
  title: (from, to) => `Your week from ${englishDay(from)} to ${englishDay(to)}`,
  readers: {
    owner: 'You',
    application: 'An application',
    contract: 'A contract',
    exchange: 'The exchange',
    offer: 'The provider of an Offer',
    visitor: 'Anonymous visitors',
    user: 'A guest',
    function: 'A function',
    pda: 'This PDA',
  },
  read: (reader, records, source, isMore) =>
    records === 0
      ? `${reader} read no records.`
      : `${reader} read ${records === 1 ? '1 record' : `${records} records`}${englishSource(source, isMore)}.`,
  opened: (reader, files, source, isMore) =>
    `${reader} opened ${files === 1 ? '1 file' : `${files} files`}${englishSource(source, isMore)}.`,
  refused: (reader, requests) => `${reader}: ${requests === 1 ? '1 request' : `${requests} requests`} refused.`,
  moreReaders: (readers) => (readers === 1 ? '1 more reader.' : `${readers} more readers.`),
  onlyYou: 'Only you accessed your data.',
  news: (entries) => (entries === 1 ? '1 decision or request is new.' : `${entries} decisions or requests are new.`),
  ending: (first, others) =>
    others === 0 ? `${first} ends soon.` : `${first} and ${others === 1 ? '1 other' : `${others} others`} end soon.`,
  invitation: (person) => `The invitation for ${person}`,
};

const de: SummaryTexts = {
  title: (from, to) => `Deine Woche vom ${germanDay(from)} bis ${germanDay(to)}`,
  readers: {
    owner: 'Du',
    application: 'Eine Anwendung',
    contract: 'Ein Vertrag',
    exchange: 'Die Vermittlung',
    offer: 'Der Anbieter eines Angebots',
    visitor: 'Anonyme Besucher',
    user: 'Ein Gast',
    function: 'Eine Funktion',
    pda: 'Dieses PDA',
  },
  read: (reader, records, source, isMore) =>
    records === 0
      ? `${reader}: keine Datensätze gelesen.`
      : `${reader}: ${records === 1 ? '1 Datensatz' : `${records} Datensätze`}${germanSource(source, isMore)} gelesen.`,
  opened: (reader, files, source, isMore) =>
    `${reader}: ${files === 1 ? '1 Datei' : `${files} Dateien`}${germanSource(source, isMore)} geöffnet.`,
  refused: (reader, requests) => `${reader}: ${requests === 1 ? '1 Anfrage' : `${requests} Anfragen`} abgewiesen.`,
  moreReaders: (readers) => (readers === 1 ? 'Außerdem ein weiterer Leser.' : `Außerdem ${readers} weitere Leser.`),
  onlyYou: 'Nur du warst an deinen Daten.',
  news: (entries) =>
    entries === 1 ? 'Eine Entscheidung oder Anfrage ist neu.' : `${entries} Entscheidungen oder Anfragen sind neu.`,
  ending: (first, others) =>
    others === 0
      ? `${first} endet bald.`
      : `${first} und ${others === 1 ? 'eine weitere Freigabe' : `${others} weitere Freigaben`} enden bald.`,
  invitation: (person) => `Die Einladung für ${person}`,
};

export const SUMMARY_TEXTS: Readonly<Record<Language, SummaryTexts>> = { en, de };
