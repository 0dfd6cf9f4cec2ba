import { When } from '../../components/when.tsx';
import { x } from '../messages/texts.ts';

/** A moment as the exchange writes it: Unix milliseconds. */
export function Moment({ at, short = false }: { at: number | null; short?: boolean }) {
  return at === null ? x.never : <When at={new Date(at).toISOString()} short={short} />;
}
