import { RelativeTime } from '../../shared/components/relative-time.tsx';
import { x } from '../messages/texts.ts';

/** A time of the exchange, in Unix milliseconds. */
export function Timestamp({ at, short = false }: { at: number | null; short?: boolean }) {
  return at === null ? x.never : <RelativeTime at={new Date(at).toISOString()} short={short} />;
}
