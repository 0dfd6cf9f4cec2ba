import type { Language } from '../../../wire/language.ts';

/** Texts of a request's notification. Approvals name the shown text, so a change makes owners approve again. */
type RequestTexts = {
  /** Who asks without a name. */
  unknownRequester: string;
  asks: (asker: string, site: string | null) => string;
  fieldsOf: (fields: string, endpoint: string) => string;
  all: string;
  newest: (limit: number) => string;
  oldest: (limit: number) => string;
  until: (ms: number) => string;
  untilStopped: (days: number) => string;
  whole: (what: string, time: string, purpose: string) => string;
  look: (purpose: string) => string;
  renewed: (asker: string) => string;
  renewedText: string;
};

/** In UTC, so that the words are the same on every machine: the owner agrees to exactly these. */
const dates = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const ENGLISH_DATES = dates('en-GB');
const GERMAN_DATES = dates('de-DE');

const en: RequestTexts = {
  unknownRequester: 'Someone',
  asks: (asker, site) => `“${asker}”${site === null ? '' : ` (${site})`} asks for data`,
  fieldsOf: (fields, endpoint) => `${fields} of ${endpoint}`,
  all: 'all records, also each new one',
  newest: (limit) => `the newest ${limit}`,
  oldest: (limit) => `the oldest ${limit}`,
  until: (ms) => `until ${ENGLISH_DATES.format(ms).replace(' at ', ', ')} UTC`,
  untilStopped: (days) => `until you stop it, in periods of ${days} days`,
  whole: (what, time, purpose) => `${what}, ${time}. For: ${purpose}`,
  look: (purpose) => `Look at what it is before you decide. They say it is for: ${purpose}`,
  renewed: (asker) => `“${asker}” goes on reading`,
  renewedText: 'Its permission has renewed by itself, as you agreed, and goes on until you stop it.',
};

const de: RequestTexts = {
  unknownRequester: 'Jemand',
  asks: (asker, site) => `„${asker}“${site === null ? '' : ` (${site})`} möchte Daten`,
  fieldsOf: (fields, endpoint) => `${fields} von ${endpoint}`,
  all: 'alle Datensätze, auch jeder neue',
  newest: (limit) => (limit === 1 ? 'der neueste' : `die neuesten ${limit}`),
  oldest: (limit) => (limit === 1 ? 'der älteste' : `die ältesten ${limit}`),
  until: (ms) => `bis ${GERMAN_DATES.format(ms).replace(' um ', ', ')} UTC`,
  untilStopped: (days) => `bis du es beendest, in Zeiträumen von ${days === 1 ? '1 Tag' : `${days} Tagen`}`,
  whole: (what, time, purpose) => `${what}, ${time}. Wofür: ${purpose}`,
  look: (purpose) => `Sieh es an, bevor du entscheidest. Wofür es angeblich ist: ${purpose}`,
  renewed: (asker) => `„${asker}“ liest weiter`,
  renewedText: 'Die Erlaubnis hat sich verlängert, wie vereinbart, und gilt, bis du sie beendest.',
};

export const REQUEST_TEXTS: Readonly<Record<Language, RequestTexts>> = { en, de };
