import type { ConsentKind } from '../../../wire/ledger.ts';

/** `name` is an id, or empty for kinds without one. `person` is the user's name at the time of the request. */
export type LoggedPrincipal =
  | { kind: 'owner' | 'application' | 'contract' | 'exchange' | 'offer' | 'visitor' | 'function' | 'pda'; name: string }
  | { kind: 'user'; name: string; person: string };

/**
 * Permission under which a request was made, or the subject of the owner's decision. `name` and `detail` by kind:
 *
 * | kind                     | `name` | `detail`                                                    |
 * |--------------------------|--------|-------------------------------------------------------------|
 * | application, function    | id     | version                                                     |
 * | debit                    | key    | permission id; the planned time if it resumed after a pause |
 * | contract                 | id     | empty; its name when the owner leaves it                    |
 * | link                     | id     | name of the share link                                      |
 * | user                     | id     | name at that time; an invited person has no id yet          |
 * | folder                   | path   | name of the user with whom it is shared                     |
 * | collection, table, chart | name   | name of the user with whom it is shared                     |
 * | profile                  | field  | `public` or `private`, as the owner set it                  |
 *
 * `detail` is empty if there is no such value, and for decisions about applications and functions.
 */
export type Consent = { kind: ConsentKind; name: string; detail: string };

/** An allowed or refused request, or an event. One entry can represent several equal requests. */
export type AccessLogEntry = {
  who: LoggedPrincipal;
  /** Method and path of the route, or the name of an event such as `sign-in` or `function run`. */
  action: string;
  status: number;
  /** Error code of a refused request; null if it was allowed. */
  reason: string | null;
  consent: Consent | null;
  /** Sequence numbers of records by endpoint path. */
  records: ReadonlyMap<string, readonly number[]>;
  /** Fields that were sent; null if no records or entire records were sent. */
  fields: readonly string[] | null;
  bytes: number | null;
  address: string;
  /** Ids of deleted records by sequence number. */
  removedIds?: ReadonlyMap<number, string>;
  /** Number of records that the entry counts but does not name. */
  unnamed?: number;
  /** Time of the first request in Unix milliseconds. Default: now. */
  time?: number;
  /** Number of requests that the entry represents. Default: 1. */
  count?: number;
  /** Time of the last request in Unix milliseconds, if there are several. */
  last?: number;
};
