import { RelativeTime } from '../../shared/components/relative-time.tsx';
import { messages } from '../messages/texts.ts';

/** A time of the exchange, in Unix milliseconds. */
export function Timestamp({ at, short = false }: { at: number | null; short?: boolean }) {
  return at === null ? messages.never : <RelativeTime at={new Date(at).toISOString()} short={short} />;
}
