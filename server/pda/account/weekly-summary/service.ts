import { isoTime, type Clock } from '../../../platform/clock.ts';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { entryKind, type AccessEntryKind } from '../../../wire/access-kinds.ts';
import type { Invitation } from '../../../wire/invitations.ts';
import type { LedgerRow } from '../../../wire/ledger.ts';
import type { SharedView } from '../../../wire/shared-views.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';
import type { AccessNames } from '../../sharing/access-log/index.ts';
import type { AccessLogService } from '../../sharing/access-log/service.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import { isAnnouncementDue, isEmptySummary, lastWeek, type Week } from './rules.ts';

type WeeklySummaryParts = {
  ledger: Pick<AccessLogService, 'list' | 'readersBetween'>;
  names: Pick<AccessNames, 'nameOf'>;
  debits: Pick<DebitService, 'ownerList'>;
  /** Returns the links that can be opened. `expires`: Unix milliseconds. */
  links: { listActive(): { id: string; name: string; expires: number | null }[] };
  sharedViews: { list(): SharedView[] };
  /** Disabled users cannot open shared tables and charts. */
  users: Pick<UserService, 'find'>;
  invitations: { list(): Invitation[] };
  clock: Clock;
};

export type WeeklySummaryService = ReturnType<typeof createWeeklySummary>;

const MAX_READERS = 5;
const MAX_READER_ENDPOINTS = 3;
const MAX_NEWS = 5;
const MAX_CONSIDERED_NEWS = 50;
const MAX_CONSIDERED_DEBITS = 500;
const MAX_ENDING = 5;
const ENDING_WITHIN_MS = 14 * 86_400_000;
const MAX_CACHED_WEEKS = 5;

/** Entry kinds that request data. Other entries of the act `ask` only read the state of a request. */
const DATA_REQUEST_KINDS: ReadonlySet<AccessEntryKind> = new Set(['debit-ask', 'debit-change', 'offer-claim']);

type WeekTotals = Pick<WeeklySummary, 'readers' | 'moreReaders' | 'isPartial'>;

/** Summarises the last complete week. Caches the totals of a week, because they hardly change after its end. */
export const createWeeklySummary = (parts: WeeklySummaryParts) => {
  const { ledger, names, debits, links, sharedViews, users, invitations, clock } = parts;
  /** Totals by start of the week, which depends on the time zone. */
  const totals = new Map<number, Promise<WeekTotals>>();

  const computeTotals = async ({ start, end }: Week): Promise<WeekTotals> => {
    const { readers, isPartial } = await ledger.readersBetween(start, end);
    const rankedReaders = readers.toSorted((a, b) => b.records - a.records || b.requests - a.requests);
    return {
      readers: rankedReaders.slice(0, MAX_READERS).map(({ who, requests, refused, records, endpoints }) => ({
        who,
        name: who.kind === 'user' ? who.person : (names.nameOf(who.kind, who.name) ?? null),
        requests,
        refused,
        records,
        endpoints: [...endpoints]
          .toSorted(([, a], [, b]) => b - a)
          .slice(0, MAX_READER_ENDPOINTS)
          .map(([endpoint]) => endpoint),
      })),
      moreReaders: Math.max(0, rankedReaders.length - MAX_READERS),
      isPartial,
    };
  };

  const totalsOf = (week: Week): Promise<WeekTotals> => {
    const cachedTotals = totals.get(week.start);
    if (cachedTotals !== undefined) return cachedTotals;
    const pendingTotals = computeTotals(week);
    setBounded(totals, week.start, pendingTotals, MAX_CACHED_WEEKS);
    pendingTotals.catch(() => totals.delete(week.start));
    return pendingTotals;
  };

  const newsOf = async ({ start, end }: Week): Promise<LedgerRow[]> => {
    const range = { from: start, to: end - 1, outcome: 'allowed', take: MAX_CONSIDERED_NEWS } as const;
    const [decisions, requests] = await Promise.all([
      ledger.list({ ...range, who: 'owner', act: 'decision' }),
      ledger.list({ ...range, act: 'ask' }),
    ]);
    return [...decisions.rows, ...requests.rows.filter(({ action }) => DATA_REQUEST_KINDS.has(entryKind(action)))]
      .toSorted((a, b) => b.id - a.id)
      .slice(0, MAX_NEWS);
  };

  const listEnding = (): Pick<WeeklySummary, 'ending' | 'moreEnding'> => {
    const now = clock.now();
    type Ending = WeeklySummary['ending'][number];
    const endingAt = (end: number | null, item: Omit<Ending, 'end'>): Ending[] =>
      end !== null && end > now && end <= now + ENDING_WITHIN_MS ? [{ ...item, end: isoTime(end) }] : [];
    const consents = debits.ownerList(0, MAX_CONSIDERED_DEBITS).flatMap(({ debit }) => {
      const isRunning = debit.active || debit.pausedUntil !== undefined;
      const end = isRunning && debit.end !== null ? Date.parse(debit.end) : null;
      return endingAt(end, { kind: 'debit', id: debit.dataDebitKey, name: debit.requestClientName });
    });
    const shareLinks = links
      .listActive()
      .flatMap(({ id, name, expires }) => endingAt(expires, { kind: 'link', id, name }));
    const views = sharedViews
      .list()
      .filter(({ userId }) => users.find(userId)?.enabled === true)
      .flatMap(({ sharedViewId, name, userName, definition: { kind }, ends }) =>
        endingAt(ends, { kind, id: sharedViewId, name, person: userName }),
      );
    const openInvitations = invitations
      .list()
      .flatMap(({ invitationId, kind, name, state, expires }) =>
        kind === 'account' && state === 'open' ? endingAt(expires, { kind: 'invitation', id: invitationId, name }) : [],
      );
    const items = [...consents, ...shareLinks, ...views, ...openInvitations];
    return {
      ending: items.toSorted((a, b) => Date.parse(a.end) - Date.parse(b.end)).slice(0, MAX_ENDING),
      moreEnding: Math.max(0, items.length - MAX_ENDING),
    };
  };

  const summaryOf = async (week: Week): Promise<WeeklySummary> => {
    const [weekTotals, news] = await Promise.all([totalsOf(week), newsOf(week)]);
    return { from: week.from, to: week.to, ...weekTotals, news, ...listEnding() };
  };

  return {
    /** @throws RangeError for an unknown time zone */
    async readSummary(timeZone: string): Promise<WeeklySummary> {
      return summaryOf(lastWeek(clock.now(), timeZone));
    },
    /**
     * Returns the summary from Monday morning on; undefined before that or if the summary is empty.
     * @throws RangeError for an unknown time zone
     */
    async findAnnouncement(timeZone: string): Promise<WeeklySummary | undefined> {
      const week = lastWeek(clock.now(), timeZone);
      if (!isAnnouncementDue(week, clock.now())) return undefined;
      const summary = await summaryOf(week);
      return isEmptySummary(summary) ? undefined : summary;
    },
  };
};
