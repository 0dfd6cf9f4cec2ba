import type { Language } from '../../../wire/language.ts';

/**
 * Sentences of notifications about requests and renewals. An approval contains a fingerprint of the notification, so
 * changing a sentence about a request invalidates the notifications that are on screen.
 */
type RequestTexts = {
  /** Shown if a requester has no name. */
  unknownRequester: string;
  requestTitle: (requester: string, site: string | null) => string;
  fieldsOf: (fields: string, endpoint: string) => string;
  allRecords: string;
  newest: (limit: number) => string;
  oldest: (limit: number) => string;
  until: (ms: number) => string;
  untilStopped: (days: number) => string;
  /** Body that states all terms of the request. */
  completeBody: (data: string, time: string, purpose: string) => string;
  reviewBody: (purpose: string) => string;
  renewalTitle: (requester: string) => string;
  renewalBody: string;
};

/** Formats in UTC, so that the text and its fingerprint are the same on every machine. */
const createDateFormat = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const ENGLISH_DATES = createDateFormat('en-GB');
const GERMAN_DATES = createDateFormat('de-DE');

const en: RequestTexts = {
  unknownRequester: 'Someone',
  requestTitle: (requester, site) => `“${requester}”${site === null ? '' : ` (${site})`} asks for data`,
  fieldsOf: (fields, endpoint) => `${fields} of ${endpoint}`,
  allRecords: 'all records, including new ones',
  newest: (limit) => (limit === 1 ? 'the newest one' : `the newest ${limit}`),
  oldest: (limit) => (limit === 1 ? 'the oldest one' : `the oldest ${limit}`),
  until: (ms) => `until ${ENGLISH_DATES.format(ms).replace(' at ', ', ')} UTC`,
  untilStopped: (days) => `until you end the permission, renewed every ${days === 1 ? 'day' : `${days} days`}`,
  completeBody: (data, time, purpose) => `${data}, ${time}. For: ${purpose}`,
  reviewBody: (purpose) => `Review the request before you decide. Stated purpose: ${purpose}`,
  renewalTitle: (requester) => `“${requester}” still has access`,
  renewalBody: 'The permission was renewed automatically, as you agreed. You can end it at any time.',
};

const de: RequestTexts = {
  unknownRequester: 'Jemand',
  requestTitle: (requester, site) => `„${requester}“${site === null ? '' : ` (${site})`} möchte Daten`,
  fieldsOf: (fields, endpoint) => `${fields} von ${endpoint}`,
  allRecords: 'alle Datensätze, auch neue',
  newest: (limit) => (limit === 1 ? 'der neueste' : `die neuesten ${limit}`),
  oldest: (limit) => (limit === 1 ? 'der älteste' : `die ältesten ${limit}`),
  until: (ms) => `bis ${GERMAN_DATES.format(ms).replace(' um ', ', ')} UTC`,
  untilStopped: (days) => `bis du die Erlaubnis beendest, verlängert ${days === 1 ? 'täglich' : `alle ${days} Tage`}`,
  completeBody: (data, time, purpose) => `${data}, ${time}. Wofür: ${purpose}`,
  reviewBody: (purpose) => `Sieh dir die Anfrage an, bevor du entscheidest. Angegebener Zweck: ${purpose}`,
  renewalTitle: (requester) => `„${requester}“ liest weiter`,
  renewalBody: 'Die Erlaubnis wurde wie vereinbart automatisch verlängert. Du kannst sie jederzeit beenden.',
};

export const REQUEST_TEXTS: Readonly<Record<Language, RequestTexts>> = { en, de };
