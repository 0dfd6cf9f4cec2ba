import { LoadError, LoadingSkeleton } from './states.tsx';

interface QueryBoundaryProps {
  query: { isPending: boolean; isError: boolean; error: unknown; refetch: () => Promise<unknown> };
  /** How many lines stand for what is coming, and how high each is. */
  rows: number;
  height?: number;
}

/** What a list shows before it is there, or when it could not be had; nothing once it is. */
export function QueryBoundary({ query, rows, height }: QueryBoundaryProps) {
  if (query.isPending) return <LoadingSkeleton rows={rows} {...(height === undefined ? {} : { height })} />;
  return query.isError ? <LoadError error={query.error} retry={() => void query.refetch()} /> : null;
}
