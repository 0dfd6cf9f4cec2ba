import { Anchor, Button } from '@mantine/core';
import { IconHistory, IconMail } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { accessLog, outbox } from '../../api/sharing/access.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { ListEnd } from '../../../shared/components/list-end.tsx';
import { Page, Section } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath, recordPath } from '../../navigation.ts';
import { groupEntriesByDay } from './day-groups.ts';
import { FilterBar } from './filter-bar.tsx';
import { LedgerLines } from './access-rows.tsx';
import { RowDrawer } from './entry-drawer.tsx';
import { type Filter, FILTERS, isFiltered, selectionOf, useFilter } from './use-filter.ts';

const words = m.history;

/** Who read what, when, by which consent? */
export function HistoryPage() {
  const { filter, row, change, clear, open } = useFilter();
  const found = useInfiniteQuery(accessLog(selectionOf(filter)));
  const rows = found.data?.pages.flatMap((page) => page.rows) ?? [];
  const filtered = isFiltered(filter);
  const at = rows.findIndex(({ id }) => id === row);

  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={words.lead}
      actions={
        <Button
          component={Link}
          to="/history/messages"
          variant="default"
          leftSection={<IconMail size={16} stroke={1.6} />}
        >
          {words.messages.button}
        </Button>
      }
    >
      <Undelivered />
      {(rows.length > 0 || filtered) && <FilterBar filter={filter} change={change} clear={clear} />}
      {found.isPending && <LoadingSkeleton rows={10} height={22} />}
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && rows.length === 0 && <Nothing filter={filter} clear={clear} />}
      {groupEntriesByDay(rows).map((day) => (
        <Section key={day.date} title={day.label}>
          <LedgerLines rows={day.rows} timeOnly to={({ id }) => historyPath({ ...given(filter), row: String(id) })} />
        </Section>
      ))}
      {rows.length > 0 && (
        <ListEnd
          words={words.list}
          hasMore={found.hasNextPage}
          end={!filtered && rows.every(({ who }) => who.kind === 'owner') ? words.list.onlyYou : words.list.end}
          isLoading={found.isFetchingNextPage}
          loadMore={() => {
            if (!found.isFetchingNextPage) void found.fetchNextPage();
          }}
        />
      )}
      <RowDrawer
        id={row}
        known={rows[at]}
        before={at > 0 ? rows[at - 1] : undefined}
        after={at === -1 ? undefined : rows[at + 1]}
        open={(wanted) => open(wanted, { replace: true })}
        close={() => open(undefined)}
      />
    </Page>
  );
}

function given(filter: Filter): Record<string, string> {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = filter[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The way to what others were not told, while there is something. */
function Undelivered() {
  const dead = (useQuery(outbox).data ?? []).filter(({ state }) => state === 'dead').length;
  if (dead === 0) return null;
  return (
    <Callout
      tone="error"
      title={words.messages.dead(dead)}
      action={
        <Anchor component={Link} to="/history/messages" size="sm">
          {words.messages.look}
        </Anchor>
      }
    />
  );
}

function Nothing({ filter, clear }: { filter: Filter; clear: () => void }) {
  if (!isFiltered(filter)) {
    return (
      <EmptyState icon={IconHistory} title={words.empty.title}>
        {words.empty.text}
      </EmptyState>
    );
  }
  const ofRecord =
    filter.record !== undefined && FILTERS.every((name) => name === 'record' || filter[name] === undefined);
  return (
    <EmptyState
      icon={IconHistory}
      title={ofRecord ? words.empty.recordTitle : words.empty.filteredTitle}
      actions={
        <>
          {filter.record !== undefined && (
            <Button component={Link} to={recordPath(filter.record)} variant="default">
              {words.toRecord}
            </Button>
          )}
          <Button variant="default" onClick={clear}>
            {words.filter.clear}
          </Button>
        </>
      }
    >
      {ofRecord ? words.empty.recordText : words.empty.filteredText}
    </EmptyState>
  );
}
