import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';

/** Restricts a read to records whose top-level field `name` is one of these values, compared as query text: text, number, `true` or `false`. */
export type FieldEquality = { readonly name: string; readonly values: readonly string[] };

type RecordQueryOptions = {
  orderBy?: string;
  ordering: 'ascending' | 'descending';
  skip: number;
  /** null: all. */
  take: number | null;
  meta?: boolean;
  guest?: NonOwnerReader | undefined;
};

/** What reading records by a field needs of the query language, which is built on top of the records. */
export type RecordQueries = {
  answer(
    entries: readonly { endpoint: string; equal: readonly FieldEquality[] }[],
    options: RecordQueryOptions,
  ): Promise<RouteResponse>;
  /** Pairs of entry and sequence number, in order. */
  keys(entries: readonly { endpoint: string }[], options: RecordQueryOptions): Promise<Float64Array>;
};
