import { hash } from 'node:crypto';
import type { BundleProperty, CombinatorEntry } from '../../../wire/query.ts';
import {
  MAX_NOTIFICATION_BODY_CHARS,
  MAX_NOTIFICATION_TITLE_CHARS,
  type DesktopRenewal,
  type DesktopRequest,
} from '../../../wire/desktop.ts';
import { INVISIBLE } from '../../../wire/display-text.ts';
import { isolated } from '../../../wire/isolation.ts';
import type { Language } from '../../../wire/language.ts';
import type { Renewal, StoredDebit, StoredPermission } from '../../sharing/debits/service.ts';
import { REQUEST_TEXTS } from './request-texts.ts';

type RequestTexts = (typeof REQUEST_TEXTS)[Language];

/*
 * Describes a request as a notification and decides whether the notification can state all of its terms. The requester
 * chose most of these texts, so they must not look like texts of the app. The owner decides on a request that does not
 * fit in the dashboard.
 */

const INVISIBLE_CHARACTERS = new RegExp(INVISIBLE.source, 'gu');
/** Stacked combining marks, which cover neighbouring text. */
const STACKED_MARKS = /\p{M}{3,}/u;
const ALL_STACKED_MARKS = new RegExp(STACKED_MARKS.source, 'gu');

const sanitize = (text: string): string =>
  text.replaceAll(INVISIBLE_CHARACTERS, ' ').replaceAll(ALL_STACKED_MARKS, '').replaceAll(/\s+/gu, ' ').trim();
const isPlain = (text: string): boolean => !INVISIBLE.test(text) && !STACKED_MARKS.test(text) && text.trim() !== '';

const truncate = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const prefix = text.slice(0, maxChars - 1);
  // The end of the prefix may split a surrogate pair.
  return `${prefix.isWellFormed() ? prefix : prefix.slice(0, -1)}…`;
};

const MAX_SHOWN_TIME_MS = Date.UTC(9999, 11, 31);
const DAY_SECONDS = 86_400;

/**
 * Returns "name, when.hour of calendar/events": the source fields, not the names that the requester gives them.
 * Returns undefined if the entry is too complex for a notification.
 */
const entryText = ({ endpoint, mapping, filters }: CombinatorEntry, texts: RequestTexts): string | undefined => {
  if (mapping === null || mapping === undefined || (filters ?? []).length > 0) return undefined;
  const sources = Object.values(mapping);
  const fields = sources.filter((source) => typeof source === 'string');
  if (fields.length === 0 || fields.length < sources.length || !fields.every(isPlain)) return undefined;
  return texts.fieldsOf(fields.map(isolated).join(', '), isolated(endpoint));
};

const propertyText = (
  { endpoints, limit, orderBy, ordering }: BundleProperty,
  texts: RequestTexts,
): string | undefined => {
  const entries = endpoints.map((entry) => entryText(entry, texts));
  // Sorting by a field reveals something about that field, even if it is not shared.
  if (entries.includes(undefined) || (orderBy ?? null) !== null) return undefined;
  const amount =
    limit === null || limit === undefined
      ? texts.all
      : ordering === 'descending'
        ? texts.newest(limit)
        : texts.oldest(limit);
  return `${entries.join('; ')} (${amount})`;
};

const timeText = (pending: StoredPermission, now: number, texts: RequestTexts): string | undefined => {
  const { start, askedPeriod, askedCancelAtPeriodEnd } = pending;
  const end = start + askedPeriod * 1000;
  if (askedCancelAtPeriodEnd) return end <= now || end > MAX_SHOWN_TIME_MS ? undefined : texts.until(end);
  return askedPeriod % DAY_SECONDS === 0 ? texts.untilStopped(askedPeriod / DAY_SECONDS) : undefined;
};

const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

/** Returns the complete terms as text; undefined if they are too complex for a notification. */
const completeText = (
  debit: StoredDebit,
  pending: StoredPermission,
  now: number,
  texts: RequestTexts,
): string | undefined => {
  const { terms, asked, conditions, start } = pending;
  // The owner must compare a change with the current permission, and read conditions and descriptions.
  const isChange = debit.permissions.some(({ acceptedAt }) => acceptedAt !== null);
  if (isChange || conditions !== null || (terms.requestDescription ?? terms.purpose) !== terms.purpose)
    return undefined;
  // A later start or terms on another host need the dashboard.
  const ownHost = hostOf(terms.requestClientUrl);
  if (start > now || hostOf(terms.termsUrl) !== ownHost) return undefined;
  // So does a callback to another host.
  if (hostOf(terms.requestClientCallbackUrl ?? terms.requestClientUrl) !== ownHost) return undefined;
  const properties = Object.values(asked.bundle).map((property) => propertyText(property, texts));
  const time = timeText(pending, now, texts);
  if (properties.includes(undefined) || time === undefined || !isPlain(terms.purpose)) return undefined;
  return texts.complete(properties.join('; '), time, isolated(terms.purpose));
};

/** Returns a hash of all stored terms of the request and of the text that was shown for them. */
const fingerprintOf = (debit: StoredDebit, pending: StoredPermission, title: string, body: string): string =>
  hash(
    'sha256',
    JSON.stringify([
      title,
      body,
      debit.key,
      debit.requester,
      debit.application,
      pending.id,
      pending.start,
      pending.askedPeriod,
      pending.askedCancelAtPeriodEnd,
      pending.asked,
      pending.conditions,
      pending.terms,
    ]),
    'base64url',
  );

/**
 * Describes a pending request as a notification.
 * @param now Unix milliseconds; a request that has expired by then cannot be approved
 */
export const requestOf = (
  debit: StoredDebit,
  pending: StoredPermission,
  now: number,
  language: Language = 'en',
): DesktopRequest => {
  const texts = REQUEST_TEXTS[language];
  const { requestClientName, requestClientUrl, purpose } = pending.terms;
  const requester = truncate(sanitize(requestClientName) || texts.unknownRequester, 100);
  const site = hostOf(requestClientUrl);
  const completeTitle = texts.asks(isolated(requester), site);
  const body = completeText(debit, pending, now, texts);
  const isComplete =
    body !== undefined &&
    isPlain(requestClientName) &&
    // A quotation mark in a name could end the quotation and imitate the text of the app.
    !/["“”„«»]/u.test(requestClientName) &&
    requester.length === requestClientName.trim().length &&
    completeTitle.length <= MAX_NOTIFICATION_TITLE_CHARS &&
    body.length <= MAX_NOTIFICATION_BODY_CHARS;
  const common = { key: debit.key, permissionId: pending.id, asker: requester };
  if (isComplete)
    return { ...common, title: completeTitle, body, fingerprint: fingerprintOf(debit, pending, completeTitle, body) };
  return {
    ...common,
    title: truncate(texts.asks(isolated(requester), null), MAX_NOTIFICATION_TITLE_CHARS),
    body: truncate(texts.review(isolated(sanitize(purpose))), MAX_NOTIFICATION_BODY_CHARS),
    fingerprint: null,
  };
};

/** Describes the renewal of a Data Debit as a notification. A click opens its page. */
export const renewalOf = ({ debit, permission, periodStart }: Renewal, language: Language = 'en'): DesktopRenewal => {
  const texts = REQUEST_TEXTS[language];
  const requester = truncate(sanitize(permission.terms.requestClientName) || texts.unknownRequester, 40);
  return {
    key: debit.key,
    id: `${permission.id}@${periodStart}`,
    title: truncate(texts.renewed(isolated(requester)), MAX_NOTIFICATION_TITLE_CHARS),
    body: texts.renewedText,
  };
};
