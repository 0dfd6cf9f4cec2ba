import { LoadError, LoadingSkeleton } from './states.tsx';

interface QueryBoundaryProps {
  query: { isPending: boolean; isError: boolean; error: unknown; refetch: () => Promise<unknown> };
  /** Number of placeholder lines, and their height in pixels. */
  rows?: number | undefined;
  height?: number | undefined;
}

/** Shows the loading or error state of a query. Renders nothing after a successful request. */
export function QueryBoundary({ query, rows, height }: QueryBoundaryProps) {
  if (query.isPending) return <LoadingSkeleton rows={rows} height={height} />;
  return query.isError ? <LoadError error={query.error} retry={() => void query.refetch()} /> : null;
}
