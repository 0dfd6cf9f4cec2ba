import { IconBan, IconEye, IconLogin2, IconPencil, IconPlugConnected, IconTrash } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { clockTime } from '../../../shared/format/format.ts';
import { historyPath } from '../../navigation.ts';
import { useEntryNames } from './use-names.ts';
import classes from './access-rows.module.css';
import { entrySentence } from './entry-text.ts';

function iconOf({ outcome, action, records }: LedgerRow) {
  if (outcome === 'refused') return IconBan;
  if (!action.includes(' ')) return IconLogin2;
  if (action.startsWith('DELETE ')) return IconTrash;
  if (action.startsWith('PUT ') || (action.startsWith('POST ') && records > 0)) return IconPencil;
  return records > 0 ? IconEye : IconPlugConnected;
}

interface AccessLogListProps {
  rows: readonly LedgerRow[];
  /** Shows only the time of day, for lists with a heading per day. */
  timeOnly?: boolean;
  /** Returns the path that an entry links to. */
  to?: (row: LedgerRow) => string;
}

/** Entries of the access history, each a sentence that links to its details. */
export function AccessLogList({ rows, timeOnly = false, to = toHistory }: AccessLogListProps) {
  const names = useEntryNames();
  return (
    <ul className={classes.lines}>
      {rows.map((row) => {
        const sentence = entrySentence(row, names);
        const Icon = iconOf(row);
        return (
          <li key={row.id} data-outcome={row.outcome}>
            <Link to={to(row)} className={classes.line} preventScrollReset>
              <Icon size={18} stroke={1.5} aria-hidden="true" />
              <span className={classes.sentence}>
                <span>
                  <b>{sentence.reader}</b> {sentence.action}
                </span>
                {sentence.details.length > 0 && (
                  <span className={classes.details}>, {sentence.details.join(', ')}</span>
                )}
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
