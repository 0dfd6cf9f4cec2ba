import type { Language } from '../../../wire/language.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';

type ReaderKind = WeeklySummary['readers'][number]['who']['kind'];
type EndingKind = WeeklySummary['ending'][number]['kind'];

type SummaryTexts = {
  title: (from: string, to: string) => string;
  readers: Readonly<Record<ReaderKind, string>>;
  /** `source`: name of the endpoint with the most records, or of the source with the most opened files. */
  read: (reader: string, records: number, source: string, hasOtherSources: boolean) => string;
  opened: (reader: string, files: number, source: string, hasOtherSources: boolean) => string;
  refused: (reader: string, requests: number) => string;
  moreReaders: (readers: number) => string;
  onlyYou: string;
  news: string;
  /** @param first one of `endingItems` */
  ending: (first: string, others: number) => string;
  endingItems: Readonly<Record<EndingKind, (name: string) => string>>;
};

/** Formats in UTC, because a calendar day has no time zone. */
const formatDay = (date: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(new Date(date));
const formatEnglishDay = (date: string): string => formatDay(date, 'en-GB');
const formatGermanDay = (date: string): string => formatDay(date, 'de-DE');

/** Returns an empty string for a source without a name. */
const formatEnglishSource = (name: string, hasOtherSources: boolean): string =>
  name === '' ? '' : ` from ${name}${hasOtherSources ? ' and other sources' : ''}`;
const formatGermanSource = (name: string, hasOtherSources: boolean): string =>
  name === '' ? '' : ` aus ${name}${hasOtherSources ? ' und anderen Quellen' : ''}`;
const formatGermanRecords = (records: number): string => (records === 1 ? '1 Datensatz' : `${records} Datensätze`);

const en: SummaryTexts = {
  title: (from, to) => `Your week from ${formatEnglishDay(from)} to ${formatEnglishDay(to)}`,
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
  read: (reader, records, source, hasOtherSources) =>
    records === 0
      ? `${reader} read no records.`
      : `${reader} read ${records === 1 ? '1 record' : `${records} records`}${formatEnglishSource(source, hasOtherSources)}.`,
  opened: (reader, files, source, hasOtherSources) =>
    `${reader} opened ${files === 1 ? '1 file' : `${files} files`}${formatEnglishSource(source, hasOtherSources)}.`,
  refused: (reader, requests) => `${reader}: ${requests === 1 ? '1 request' : `${requests} requests`} refused.`,
  moreReaders: (readers) => (readers === 1 ? '1 more reader.' : `${readers} more readers.`),
  onlyYou: 'Only you accessed your data.',
  news: 'There are new decisions or requests.',
  ending: (first, others) =>
    others === 0 ? `${first} ends soon.` : `${first} and ${others === 1 ? '1 other' : `${others} others`} end soon.`,
  endingItems: {
    debit: (name) => `Your consent for ${name}`,
    link: (name) => `The share link ${name}`,
    table: (name) => `Access to the table ${name}`,
    chart: (name) => `Access to the chart ${name}`,
    invitation: (person) => `The invitation for ${person}`,
  },
};

const de: SummaryTexts = {
  title: (from, to) => `Deine Woche vom ${formatGermanDay(from)} bis ${formatGermanDay(to)}`,
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
  read: (reader, records, source, hasOtherSources) =>
    records === 0
      ? `${reader}: keine Datensätze gelesen.`
      : `${reader}: ${formatGermanRecords(records)}${formatGermanSource(source, hasOtherSources)} gelesen.`,
  opened: (reader, files, source, hasOtherSources) =>
    `${reader}: ${files === 1 ? '1 Datei' : `${files} Dateien`}${formatGermanSource(source, hasOtherSources)} geöffnet.`,
  refused: (reader, requests) => `${reader}: ${requests === 1 ? '1 Anfrage' : `${requests} Anfragen`} abgewiesen.`,
  moreReaders: (readers) => (readers === 1 ? 'Außerdem ein weiterer Leser.' : `Außerdem ${readers} weitere Leser.`),
  onlyYou: 'Nur du hast auf deine Daten zugegriffen.',
  news: 'Es gibt neue Entscheidungen oder Anfragen.',
  ending: (first, others) =>
    others === 0
      ? `${first} endet bald.`
      : `${first} und ${others === 1 ? '1 weitere Freigabe' : `${others} weitere Freigaben`} enden bald.`,
  endingItems: {
    debit: (name) => `Deine Einwilligung für ${name}`,
    link: (name) => `Der Freigabe-Link ${name}`,
    table: (name) => `Der Zugriff auf die Tabelle ${name}`,
    chart: (name) => `Der Zugriff auf das Diagramm ${name}`,
    invitation: (person) => `Die Einladung für ${person}`,
  },
};

export const SUMMARY_TEXTS: Readonly<Record<Language, SummaryTexts>> = { en, de };
