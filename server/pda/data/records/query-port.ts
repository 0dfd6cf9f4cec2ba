import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';

/** Selects records whose top-level field `name` equals one of these values: a string, number, `true` or `false`. */
export type FieldEquality = { readonly name: string; readonly values: readonly string[] };

type RecordQueryOptions = {
  orderBy?: string;
  ordering: 'ascending' | 'descending';
  skip: number;
  /** Number of records; null: all. */
  take: number | null;
  meta?: boolean;
  nonOwner?: NonOwnerReader | undefined;
};

/** Interface of the query service for reading records. Declared here, because that service depends on this module. */
export type RecordQueries = {
  respond(
    entries: readonly { endpoint: string; equal: readonly FieldEquality[] }[],
    options: RecordQueryOptions,
  ): Promise<RouteResponse>;
};
