import { Failed, Loading } from './states.tsx';

interface AwaitedProps {
  found: { isPending: boolean; isError: boolean; error: unknown; refetch: () => Promise<unknown> };
  /** How many lines stand for what is coming, and how high each is. */
  rows: number;
  height?: number;
}

/** What a list shows before it is there, or when it could not be had; nothing once it is. */
export function Awaited({ found, rows, height }: AwaitedProps) {
  if (found.isPending) return <Loading rows={rows} {...(height === undefined ? {} : { height })} />;
  return found.isError ? <Failed error={found.error} retry={() => void found.refetch()} /> : null;
}
