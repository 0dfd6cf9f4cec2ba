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
import { AccessLogList } from './access-rows.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { type Filter, FILTERS, isFiltered, selectionOf, useFilter } from './use-filter.ts';

const words = m.history;

/** Access history: who read what, when, and under which consent. */
export function HistoryPage() {
  const { filter, row, change, clear, open } = useFilter();
  const result = useInfiniteQuery(accessLog(selectionOf(filter)));
  const rows = result.data?.pages.flatMap((page) => page.rows) ?? [];
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
      <DeadWebhooks />
      {(rows.length > 0 || filtered) && <FilterBar filter={filter} change={change} clear={clear} />}
      {result.isPending && <LoadingSkeleton rows={10} height={22} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.data !== undefined && rows.length === 0 && <NoEntries filter={filter} clear={clear} />}
      {groupEntriesByDay(rows).map((day) => (
        <Section key={day.date} title={day.label}>
          <AccessLogList
            rows={day.rows}
            timeOnly
            to={({ id }) => historyPath({ ...definedFilters(filter), row: String(id) })}
          />
        </Section>
      ))}
      {rows.length > 0 && (
        <ListEnd
          words={words.list}
          hasMore={result.hasNextPage}
          end={!filtered && rows.every(({ who }) => who.kind === 'owner') ? words.list.onlyYou : words.list.end}
          isLoading={result.isFetchingNextPage}
          loadMore={() => {
            if (!result.isFetchingNextPage) void result.fetchNextPage();
          }}
        />
      )}
      <EntryDrawer
        id={row}
        loadedRow={rows[at]}
        before={at > 0 ? rows[at - 1] : undefined}
        after={at === -1 ? undefined : rows[at + 1]}
        open={(entryId) => open(entryId, { replace: true })}
        close={() => open(undefined)}
      />
    </Page>
  );
}

function definedFilters(filter: Filter): Record<string, string> {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = filter[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Notice that links to dead webhooks, if there are any. */
function DeadWebhooks() {
  const dead = (useQuery(outbox).data ?? []).filter(({ state }) => state === 'dead').length;
  if (dead === 0) return null;
  return (
    <Callout
      tone="error"
      title={words.messages.dead(dead)}
      action={
        <Anchor component={Link} to="/history/messages" size="sm">
          {words.messages.view}
        </Anchor>
      }
    />
  );
}

function NoEntries({ filter, clear }: { filter: Filter; clear: () => void }) {
  if (!isFiltered(filter)) {
    return (
      <EmptyState icon={IconHistory} title={words.empty.title}>
        {words.empty.text}
      </EmptyState>
    );
  }
  const isRecordFilter =
    filter.record !== undefined && FILTERS.every((name) => name === 'record' || filter[name] === undefined);
  return (
    <EmptyState
      icon={IconHistory}
      title={isRecordFilter ? words.empty.recordTitle : words.empty.filteredTitle}
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
      {isRecordFilter ? words.empty.recordText : words.empty.filteredText}
    </EmptyState>
  );
}
