import { Anchor, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AccessLogFilter, accessLogGroupEntries } from '../../api/sharing/access.ts';
import type { LedgerGroup, LedgerRow } from '../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { clockTime } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { AccessLogItem, AccessLogList } from './access-rows.tsx';
import classes from './access-rows.module.css';
import { EntryIcon } from './entry-icons.ts';
import { entrySentence } from './entry-text.ts';
import { groupKey } from './groups.ts';
import { EntrySentence } from './entry-sentence.tsx';
import { useEntryNames } from './use-names.ts';

const texts = m.history.list;

interface AccessGroupsProps {
  groups: readonly LedgerGroup[];
  selection: AccessLogFilter;
  /** True if the day of the groups may have earlier entries that are not loaded yet. */
  isPartial: boolean;
  to: (row: LedgerRow) => string;
}

export function AccessGroups({ groups, selection, isPartial, to }: AccessGroupsProps) {
  return (
    <ul className={classes.rows}>
      {groups.map((group) =>
        group.entries === 1 ? (
          <AccessLogItem key={groupKey(group)} row={group.row} timeOnly to={to} />
        ) : (
          <GroupItem key={groupKey(group)} group={group} selection={selection} isPartial={isPartial} to={to} />
        ),
      )}
    </ul>
  );
}

function GroupItem({ group, selection, isPartial, to }: Omit<AccessGroupsProps, 'groups'> & { group: LedgerGroup }) {
  const names = useEntryNames();
  const [isOpen, setIsOpen] = useState(false);
  const { row, entries, since } = group;
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <li data-outcome={row.outcome}>
      <UnstyledButton className={classes.row} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} data-list-item>
        <EntryIcon row={row} />
        <EntrySentence
          sentence={entrySentence(row, names, { count: row.count, isPartial })}
          endpoints={row.endpoints}
        />
        <span className={classes.time}>
          <time dateTime={row.time}>{texts.between(clockTime(since), clockTime(row.time))}</time>
          <Chevron size={16} stroke={1.6} aria-hidden="true" />
        </span>
      </UnstyledButton>
      {isOpen && <GroupEntries key={entries} group={group} selection={selection} to={to} />}
    </li>
  );
}

function GroupEntries({
  group,
  selection,
  to,
}: Omit<AccessGroupsProps, 'groups' | 'isPartial'> & { group: LedgerGroup }) {
  const result = useInfiniteQuery(accessLogGroupEntries(selection, group));
  const rows = result.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <div className={classes.entries}>
      <QueryBoundary query={result} rows={Math.min(group.entries, 5)} height={22} />
      {rows.length > 0 && <AccessLogList rows={rows} timeOnly to={to} />}
      {result.hasNextPage && (
        <Anchor
          component="button"
          type="button"
          disabled={result.isFetchingNextPage}
          onClick={() => void result.fetchNextPage()}
        >
          {result.isFetchingNextPage ? texts.loadingMore : texts.more}
        </Anchor>
      )}
    </div>
  );
}
