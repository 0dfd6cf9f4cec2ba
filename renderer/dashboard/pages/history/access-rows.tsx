import { Link } from 'react-router';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { clockTime } from '../../../shared/format/format.ts';
import { historyPath } from '../../navigation.ts';
import { useEntryNames } from './use-names.ts';
import classes from './access-rows.module.css';
import { EntryIcon } from './entry-icons.ts';
import { EntrySentence } from './entry-sentence.tsx';
import { entrySentence } from './entry-text.ts';

interface AccessLogListProps {
  rows: readonly LedgerRow[];
  /** Shows only the time of day, for lists with a heading per day. */
  timeOnly?: boolean;
  to?: (row: LedgerRow) => string;
}

export function AccessLogList({ rows, ...itemProps }: AccessLogListProps) {
  return (
    <ul className={classes.rows}>
      {rows.map((row) => (
        <AccessLogItem key={row.id} row={row} {...itemProps} />
      ))}
    </ul>
  );
}

interface AccessLogItemProps extends Omit<AccessLogListProps, 'rows'> {
  row: LedgerRow;
}

export function AccessLogItem({ row, timeOnly = false, to = entryPath }: AccessLogItemProps) {
  const names = useEntryNames();
  return (
    <li data-outcome={row.outcome}>
      <Link to={to(row)} className={classes.row} preventScrollReset data-list-item>
        <EntryIcon row={row} />
        <EntrySentence sentence={entrySentence(row, names)} endpoints={row.endpoints} />
        <span className={classes.time}>
          {timeOnly ? <time dateTime={row.time}>{clockTime(row.time)}</time> : <RelativeTime at={row.time} short />}
        </span>
      </Link>
    </li>
  );
}

function entryPath({ id }: LedgerRow): string {
  return historyPath({ row: String(id) });
}
