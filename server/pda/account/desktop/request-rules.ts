import { hash } from 'node:crypto';
import type { BundleProperty, CombinatorEntry } from '../../../wire/query.ts';
import {
  MAX_NOTIFICATION_BODY_CHARS,
  MAX_NOTIFICATION_TITLE_CHARS,
  type DesktopRenewal,
  type DesktopRequest,
} from '../../../wire/desktop.ts';
import { outputsEntireRecords } from '../../../wire/entire-records.ts';
import { isolateText } from '../../../wire/isolation.ts';
import type { Language } from '../../../wire/language.ts';
import type { Renewal, StoredDebit, StoredPermission } from '../../sharing/debits/service.ts';
import { isPlain, sanitise, truncate } from './notification-text.ts';
import { REQUEST_TEXTS } from './request-texts.ts';

type RequestTexts = (typeof REQUEST_TEXTS)[Language];

/*
 * Describes requests in notifications. If a notification cannot state all terms of a request, it has no fingerprint,
 * and the owner must decide in the dashboard. Most strings come from the requester and must not be able to imitate the
 * app's own sentences.
 */

/** Latest time that is shown. Later years have more than four digits. */
const MAX_SHOWN_TIME_MS = Date.UTC(9999, 11, 31);
const DAY_SECONDS = 86_400;
const MAX_REQUESTER_CHARS = 100;
const MAX_RENEWAL_REQUESTER_CHARS = 40;

/**
 * Describes an entry, for example as "name, when.hour of calendar/events". Names the source fields, because the
 * requester chooses the names of mapped fields. Returns undefined if the entry is too complex for a notification.
 */
const describeEntry = ({ endpoint, mapping, filters }: CombinatorEntry, texts: RequestTexts): string | undefined => {
  // Fields that are added to entire records later are shared, too, and cannot be named here.
  if (outputsEntireRecords(mapping) || (filters ?? []).length > 0) return undefined;
  const sources = Object.values(mapping ?? {});
  const fields = sources.filter((source) => typeof source === 'string');
  if (fields.length === 0 || fields.length < sources.length || !fields.every(isPlain)) return undefined;
  return texts.fieldsOf(fields.map(isolateText).join(', '), isolateText(endpoint));
};

const describeProperty = (
  { endpoints, limit, orderBy, ordering }: BundleProperty,
  texts: RequestTexts,
): string | undefined => {
  const entries = endpoints.map((entry) => describeEntry(entry, texts));
  // The order of records reveals the field by which they are sorted, even if it is not shared.
  if (entries.includes(undefined) || (orderBy ?? null) !== null) return undefined;
  const amount =
    limit === null || limit === undefined
      ? texts.allRecords
      : ordering === 'descending'
        ? texts.newest(limit)
        : texts.oldest(limit);
  return `${entries.join('; ')} (${amount})`;
};

const describePeriod = (pending: StoredPermission, now: number, texts: RequestTexts): string | undefined => {
  const { start, requestedPeriod, requestedCancelAtPeriodEnd } = pending;
  const end = start + requestedPeriod * 1000;
  if (requestedCancelAtPeriodEnd) return end <= now || end > MAX_SHOWN_TIME_MS ? undefined : texts.until(end);
  return requestedPeriod % DAY_SECONDS === 0 ? texts.untilStopped(requestedPeriod / DAY_SECONDS) : undefined;
};

const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

/** Returns undefined if the owner must decide in the dashboard. */
const describeCompletely = (
  debit: StoredDebit,
  pending: StoredPermission,
  now: number,
  texts: RequestTexts,
): string | undefined => {
  const { terms, requestedBundle, conditions, start } = pending;
  // The owner must compare permissions, and read conditions or a description, in the dashboard.
  const isChange = debit.permissions.some(({ acceptedAt }) => acceptedAt !== null);
  if (isChange || conditions !== null || (terms.requestDescription ?? terms.purpose) !== terms.purpose)
    return undefined;
  // A later start, and terms or a callback on another host, are shown only in the dashboard.
  const requesterHost = hostOf(terms.requestClientUrl);
  if (start > now || hostOf(terms.termsUrl) !== requesterHost) return undefined;
  if (hostOf(terms.requestClientCallbackUrl ?? terms.requestClientUrl) !== requesterHost) return undefined;
  const properties = Object.values(requestedBundle.bundle).map((property) => describeProperty(property, texts));
  const time = describePeriod(pending, now, texts);
  if (properties.includes(undefined) || time === undefined || !isPlain(terms.purpose)) return undefined;
  return texts.completeBody(properties.join('; '), time, isolateText(terms.purpose));
};

/** Returns a hash of a request's stored terms and of the notification that shows them. */
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
      pending.requestedPeriod,
      pending.requestedCancelAtPeriodEnd,
      pending.requestedBundle,
      pending.conditions,
      pending.terms,
    ]),
    'base64url',
  );

/** @param now Unix milliseconds, with which the start and the end of the requested period are compared */
export const describeRequest = (
  debit: StoredDebit,
  pending: StoredPermission,
  now: number,
  language: Language = 'en',
): DesktopRequest => {
  const texts = REQUEST_TEXTS[language];
  const { requestClientName, requestClientUrl, purpose } = pending.terms;
  const requester = truncate(sanitise(requestClientName) || texts.unknownRequester, MAX_REQUESTER_CHARS);
  const site = hostOf(requestClientUrl);
  const completeTitle = texts.requestTitle(isolateText(requester), site);
  const body = describeCompletely(debit, pending, now, texts);
  const isComplete =
    body !== undefined &&
    isPlain(requestClientName) &&
    // A quotation mark in the name could end the quotation, so that the rest of the name imitates the app.
    !/["“”„«»]/u.test(requestClientName) &&
    requester.length === requestClientName.trim().length &&
    completeTitle.length <= MAX_NOTIFICATION_TITLE_CHARS &&
    body.length <= MAX_NOTIFICATION_BODY_CHARS;
  const commonFields = { key: debit.key, permissionId: pending.id, requester };
  if (isComplete)
    return {
      ...commonFields,
      title: completeTitle,
      body,
      fingerprint: fingerprintOf(debit, pending, completeTitle, body),
    };
  return {
    ...commonFields,
    title: truncate(texts.requestTitle(isolateText(requester), null), MAX_NOTIFICATION_TITLE_CHARS),
    body: truncate(texts.reviewBody(isolateText(sanitise(purpose))), MAX_NOTIFICATION_BODY_CHARS),
    fingerprint: null,
  };
};

export const describeRenewal = (
  { debit, permission, periodStart }: Renewal,
  language: Language = 'en',
): DesktopRenewal => {
  const texts = REQUEST_TEXTS[language];
  const requester = truncate(
    sanitise(permission.terms.requestClientName) || texts.unknownRequester,
    MAX_RENEWAL_REQUESTER_CHARS,
  );
  return {
    key: debit.key,
    id: `${permission.id}@${periodStart}`,
    title: truncate(texts.renewalTitle(isolateText(requester)), MAX_NOTIFICATION_TITLE_CHARS),
    body: texts.renewalBody,
  };
};
