/** `name` is the permanent id of an application or user. `person` is the user's name at that time. */
export type Party =
  | { kind: 'owner' | 'application' | 'contract' | 'exchange' | 'offer' | 'visitor' | 'function'; name: string }
  | { kind: 'user'; name: string; person: string };
export type Consent = { kind: 'application' | 'debit' | 'contract' | 'function'; name: string; detail: string };

/** One call, allowed or refused. */
export type LedgerEntry = {
  who: Party;
  /** The route, or `sign-in`, `sign-out` and the like. */
  action: string;
  status: number;
  /** Code of the refusal; null when it was allowed. */
  reason: string | null;
  consent: Consent | null;
  /** Places (seq) of records by endpoint path. */
  records: ReadonlyMap<string, readonly number[]>;
  /** Fields that left; null: entire records, or none. */
  fields: readonly string[] | null;
  bytes: number | null;
  address: string;
  /** Ids of records that are not here any more. */
  gone?: ReadonlyMap<number, string>;
  /** Records that are counted beside those that are named. */
  unnamed?: number;
  /** Unix milliseconds of the call, and how many it stands for, the last of them when; now and one, when not given. */
  time?: number;
  count?: number;
  last?: number;
};
