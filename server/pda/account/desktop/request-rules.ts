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

/**
 * Describes a request as a notification and says whether the notification can show all of it. The requester chose most of
 * these texts, so they must not look like texts of the app. A request that does not fit is decided in the dashboard.
 */

const INVISIBLE_CHARACTERS = new RegExp(INVISIBLE.source, 'gu');
/** Marks that pile up over what stands beside them. */
const PILED = /\p{M}{3,}/u;
const PILES = new RegExp(PILED.source, 'gu');

const shown = (text: string): string =>
  text.replaceAll(INVISIBLE_CHARACTERS, ' ').replaceAll(PILES, '').replaceAll(/\s+/gu, ' ').trim();
const isPlain = (text: string): boolean => !INVISIBLE.test(text) && !PILED.test(text) && text.trim() !== '';

const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  // Never half of a character.
  const kept = text.slice(0, most - 1);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
};

const LAST_SHOWN_MS = Date.UTC(9999, 11, 31);
const DAY_SECONDS = 86_400;

/** "name, when.hour of calendar/events": where it comes from, whatever the requester calls it. undefined: it takes more to say. */
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
  // The order by a field says something of that field, shared or not.
  if (entries.includes(undefined) || (orderBy ?? null) !== null) return undefined;
  const amount =
    limit === null || limit === undefined
      ? texts.all
      : ordering === 'descending'
        ? texts.newest(limit)
        : texts.oldest(limit);
  return `${entries.join('; ')} (${amount})`;
};

const timeText = (waiting: StoredPermission, now: number, texts: RequestTexts): string | undefined => {
  const { start, askedPeriod, askedCancelAtPeriodEnd } = waiting;
  const end = start + askedPeriod * 1000;
  if (askedCancelAtPeriodEnd) return end <= now || end > LAST_SHOWN_MS ? undefined : texts.until(end);
  return askedPeriod % DAY_SECONDS === 0 ? texts.untilStopped(askedPeriod / DAY_SECONDS) : undefined;
};

const hostOf = (url: string): string => URL.parse(url)?.host ?? '';

/** All that a few lines would have to say; undefined when they cannot. */
const wholeText = (
  debit: StoredDebit,
  waiting: StoredPermission,
  now: number,
  texts: RequestTexts,
): string | undefined => {
  const { terms, asked, conditions, start } = waiting;
  // A change is understood beside what runs, conditions and a second text by reading them.
  const isChange = debit.permissions.some(({ acceptedAt }) => acceptedAt !== null);
  if (isChange || conditions !== null || (terms.requestDescription ?? terms.purpose) !== terms.purpose)
    return undefined;
  // A later start or terms on another host need the dashboard.
  const ownHost = hostOf(terms.requestClientUrl);
  if (start > now || hostOf(terms.termsUrl) !== ownHost) return undefined;
  // So does a callback to another host.
  if (hostOf(terms.requestClientCallbackUrl ?? terms.requestClientUrl) !== ownHost) return undefined;
  const properties = Object.values(asked.bundle).map((property) => propertyText(property, texts));
  const time = timeText(waiting, now, texts);
  if (properties.includes(undefined) || time === undefined || !isPlain(terms.purpose)) return undefined;
  return texts.whole(properties.join('; '), time, isolated(terms.purpose));
};

/** Of everything that is stored of what is asked, and of the words that were shown for it. */
const fingerprintOf = (debit: StoredDebit, waiting: StoredPermission, title: string, body: string): string =>
  hash(
    'sha256',
    JSON.stringify([
      title,
      body,
      debit.key,
      debit.requester,
      debit.application,
      waiting.id,
      waiting.start,
      waiting.askedPeriod,
      waiting.askedCancelAtPeriodEnd,
      waiting.asked,
      waiting.conditions,
      waiting.terms,
    ]),
    'base64url',
  );

/** @param now Unix milliseconds: what is over by then cannot be approved */
export const requestOf = (
  debit: StoredDebit,
  waiting: StoredPermission,
  now: number,
  language: Language = 'en',
): DesktopRequest => {
  const texts = REQUEST_TEXTS[language];
  const { requestClientName, requestClientUrl, purpose } = waiting.terms;
  const asker = cut(shown(requestClientName) || texts.unknownRequester, 100);
  const site = hostOf(requestClientUrl);
  const wholeTitle = texts.asks(isolated(asker), site);
  const body = wholeText(debit, waiting, now, texts);
  const isWhole =
    body !== undefined &&
    isPlain(requestClientName) &&
    // A quotation mark within a name could end it, and go on in our words.
    !/["“”„«»]/u.test(requestClientName) &&
    asker.length === requestClientName.trim().length &&
    wholeTitle.length <= MAX_NOTIFICATION_TITLE_CHARS &&
    body.length <= MAX_NOTIFICATION_BODY_CHARS;
  const common = { key: debit.key, permissionId: waiting.id, asker };
  if (isWhole)
    return { ...common, title: wholeTitle, body, fingerprint: fingerprintOf(debit, waiting, wholeTitle, body) };
  return {
    ...common,
    title: cut(texts.asks(isolated(asker), null), MAX_NOTIFICATION_TITLE_CHARS),
    body: cut(texts.look(isolated(shown(purpose))), MAX_NOTIFICATION_BODY_CHARS),
    fingerprint: null,
  };
};

/** Notification that a Data Debit renewed. A click opens its page. */
export const renewalOf = ({ debit, permission, periodStart }: Renewal, language: Language = 'en'): DesktopRenewal => {
  const texts = REQUEST_TEXTS[language];
  const asker = cut(shown(permission.terms.requestClientName) || texts.unknownRequester, 40);
  return {
    key: debit.key,
    id: `${permission.id}@${periodStart}`,
    title: cut(texts.renewed(isolated(asker)), MAX_NOTIFICATION_TITLE_CHARS),
    body: texts.renewedText,
  };
};
