import { LoadError, LoadingSkeleton } from './states.tsx';

interface QueryState {
  isPending: boolean;
  isError: boolean;
  error: unknown;
  refetch: () => Promise<unknown>;
}

/** Returns the state of several queries that a component needs together. */
export function combineQueries(...queries: readonly QueryState[]): QueryState {
  return {
    isPending: queries.some(({ isPending }) => isPending),
    isError: queries.some(({ isError }) => isError),
    error: queries.find(({ isError }) => isError)?.error,
    refetch: () => Promise.all(queries.map(({ refetch }) => refetch())),
  };
}

interface QueryBoundaryProps {
  query: QueryState;
  /** Number of placeholder lines. */
  rows?: number | undefined;
  /** Height of a placeholder line in pixels. */
  height?: number | undefined;
}

/** Shows the loading or error state of a query. Renders nothing after a successful request. */
export function QueryBoundary({ query, rows, height }: QueryBoundaryProps) {
  if (query.isPending) return <LoadingSkeleton rows={rows} height={height} />;
  return query.isError ? <LoadError error={query.error} retry={() => void query.refetch()} /> : null;
}
