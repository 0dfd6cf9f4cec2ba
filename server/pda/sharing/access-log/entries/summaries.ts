import { isoTime, type Clock } from '../../../../platform/clock.ts';
import type { LedgerDay } from '../../../../wire/ledger.ts';
import type { LoggedPrincipal } from '../entry.ts';
import { rowAt } from '../rules.ts';
import type { AccessLogStore, GroupRow } from '../store.ts';
import { ROW_ID_LIMIT } from './listing.ts';
import { timeOfRow, toLoggedPrincipal, type WireRows } from './wire-rows.ts';

export type AccessSummary = {
  /** Time of the last allowed read in Unix milliseconds. */
  lastRead: number | null;
  reads: number;
  records: number;
  refused: number;
};

export type PrincipalSummary = {
  /** Time of the last request, allowed or refused, in Unix milliseconds. */
  lastUsed: number | null;
  reads: number;
  writes: number;
  refused: number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Creates the totals of principals and consents. Their cost depends on the number of groups, not on the number of rows.
 */
export const createSummaries = (parts: { store: AccessLogStore; rows: WireRows; clock: Clock }) => {
  const { store, rows, clock } = parts;

  const lastTimeOf = ({ id, refused }: GroupRow): number | null => {
    const [newest] = store.ids({ grp: id, after: 0, below: ROW_ID_LIMIT }, 1);
    const row = newest === undefined ? undefined : store.row(newest);
    if (row === undefined) return null;
    const time = timeOfRow(row);
    if (refused === 0) return time;
    // Equal refusals within an hour share a row, so an earlier row can have a later last request.
    return Math.max(time, store.lastRequestAfter(id, rowAt(time - HOUR_MS)) ?? time);
  };
  const laterOf = (a: number | null, b: number | null): number | null => (a === null ? b : Math.max(a, b ?? a));

  /** Returns a principal. A user's name is taken from the newest entry. */
  const loggedPrincipalOf = (who_kind: string, who_name: string): LoggedPrincipal => {
    // The column contains only kinds of principals.
    const kind = who_kind as LoggedPrincipal['kind'];
    if (kind !== 'user') return toLoggedPrincipal(kind, who_name);
    const userGroups = store.groups().filter((group) => group.who_kind === who_kind && group.who_name === who_name);
    const ids = userGroups.flatMap(({ id }) => store.ids({ grp: id, after: 0, below: ROW_ID_LIMIT }, 1));
    const row = store.row(Math.max(...ids));
    return row === undefined ? toLoggedPrincipal(kind, who_name) : rows.requestOf(row).who;
  };

  return {
    days(count: number): LedgerDay[] {
      const principals = new Map<string, LoggedPrincipal>();
      return store.days(Math.floor(clock.now() / DAY_MS) - count + 1).map((total) => {
        const key = `${total.who_kind} ${total.who_name}`;
        const who = principals.get(key) ?? loggedPrincipalOf(total.who_kind, total.who_name);
        principals.set(key, who);
        const { calls, refused, records } = total;
        return { day: isoTime(total.day * DAY_MS).slice(0, 10), who, calls, refused, records };
      });
    },

    summariseDebit(key: string): AccessSummary {
      const totals: AccessSummary = { lastRead: null, reads: 0, records: 0, refused: 0 };
      for (const group of store.groups()) {
        if (group.consent_kind !== 'debit' || group.consent_name !== key) continue;
        if (group.refused === 1) totals.refused += group.calls;
        if (group.refused === 1 || group.reads === 0) continue;
        totals.reads += group.calls;
        totals.records += group.records;
        totals.lastRead = laterOf(totals.lastRead, lastTimeOf(group));
      }
      return totals;
    },

    lastRequests(): ReadonlyMap<string, number> {
      const times = new Map<string, number>();
      for (const group of store.groups()) {
        if (group.who_kind !== 'application' && group.who_kind !== 'contract') continue;
        const time = laterOf(times.get(group.who_name) ?? null, lastTimeOf(group));
        if (time !== null) times.set(group.who_name, time);
      }
      return times;
    },

    summarisePrincipal(kind: 'application' | 'contract', id: string): PrincipalSummary {
      const totals: PrincipalSummary = { lastUsed: null, reads: 0, writes: 0, refused: 0 };
      for (const group of store.groups()) {
        if (group.who_kind !== kind || group.who_name !== id) continue;
        totals[group.refused === 1 ? 'refused' : group.reads === 1 ? 'reads' : 'writes'] += group.calls;
        totals.lastUsed = laterOf(totals.lastUsed, lastTimeOf(group));
      }
      return totals;
    },
  };
};
