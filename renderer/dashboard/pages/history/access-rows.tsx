import { IconBan, IconEye, IconLogin2, IconPencil, IconPlugConnected, IconTrash } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { clockTime } from '../../../shared/format/format.ts';
import { historyPath } from '../../navigation.ts';
import { useKnown } from './use-names.ts';
import classes from './access-rows.module.css';
import { sentence } from './entry-text.ts';

function signOf({ outcome, action, records }: LedgerRow) {
  if (outcome === 'refused') return IconBan;
  if (!action.includes(' ')) return IconLogin2;
  if (action.startsWith('DELETE ')) return IconTrash;
  if (action.startsWith('PUT ') || (action.startsWith('POST ') && records > 0)) return IconPencil;
  return records > 0 ? IconEye : IconPlugConnected;
}

interface LedgerLinesProps {
  rows: readonly LedgerRow[];
  /** Under a heading that names the day, the time is enough. */
  timeOnly?: boolean;
  /** Address of an entry. */
  to?: (row: LedgerRow) => string;
}

/** Entries of the access history, each a sentence that leads to its details. */
export function LedgerLines({ rows, timeOnly = false, to = toHistory }: LedgerLinesProps) {
  const known = useKnown();
  return (
    <ul className={classes.lines}>
      {rows.map((row) => {
        const said = sentence(row, known);
        const Sign = signOf(row);
        return (
          <li key={row.id} data-outcome={row.outcome}>
            <Link to={to(row)} className={classes.line} preventScrollReset>
              <Sign size={18} stroke={1.5} aria-hidden="true" />
              <span className={classes.sentence}>
                <span>
                  <b>{said.who}</b> {said.did}
                </span>
                {said.rest.length > 0 && <span className={classes.rest}>, {said.rest.join(', ')}</span>}
              </span>
              <span className={classes.time}>
                {timeOnly ? (
                  <time dateTime={row.time}>{clockTime(row.time)}</time>
                ) : (
                  <RelativeTime at={row.time} short />
                )}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function toHistory({ id }: LedgerRow): string {
  return historyPath({ row: String(id) });
}
