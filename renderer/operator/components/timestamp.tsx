import { RelativeTime } from '../../shared/components/relative-time.tsx';
import { messages } from '../messages/texts.ts';

/** @param at Unix milliseconds; null if the event has never occurred */
export function Timestamp({ at, short = false }: { at: number | null; short?: boolean }) {
  return at === null ? messages.never : <RelativeTime at={new Date(at).toISOString()} short={short} />;
}
