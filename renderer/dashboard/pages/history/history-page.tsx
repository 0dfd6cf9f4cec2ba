import { Button } from '@mantine/core';
import { IconHistory, IconMail } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { isOtherPrincipal } from '../../../../server/wire/access-kinds.ts';
import { accessLogGroups, outbox } from '../../api/sharing/access.ts';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { ListEnd } from '../../../shared/components/list-end.tsx';
import { Page, Section } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath, recordPath } from '../../navigation.ts';
import { AccessGroups } from './access-groups.tsx';
import { HistoryExportMenu } from './history-export-menu.tsx';
import { shouldContinueSearch, joinByDay } from './groups.ts';
import { ReaderChart } from './reader-chart.tsx';
import { FilterBar } from './filter-bar.tsx';
import { EntryDrawer } from './entry-drawer.tsx';
import { activeFilters, type Filter, isFiltered, selectionOf, useFilter } from './use-filter.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.history;

export function HistoryPage() {
  const { filter, entryId, change, clear, open } = useFilter();
  const selection = selectionOf(filter);
  const result = useInfiniteQuery(accessLogGroups(selection));
  const days = joinByDay(result.data?.pages.map(({ groups }) => groups) ?? []);
  const groups = days.flatMap((day) => day.groups);
  const hasFilters = isFiltered(filter);
  // The row of a group sums its entries. The drawer must load an entry unless it is the only one in its group, because
  // only then does the row equal the entry.
  const rows = groups.filter(({ entries }) => entries === 1).map((group) => group.row);
  const rowIndex = rows.findIndex(({ id }) => id === entryId);
  const isIncomplete = groups.length === 0 && result.hasNextPage;
  const shouldContinue = shouldContinueSearch(groups, result);
  const { fetchNextPage } = result;
  useEffect(() => {
    if (shouldContinue) void fetchNextPage();
  }, [shouldContinue, fetchNextPage]);
  const to = ({ id }: LedgerRow) => historyPath({ ...Object.fromEntries(activeFilters(filter)), row: String(id) });

  return (
    <Page
      title={texts.pageTitle}
      lead={texts.lead}
      actions={
        <>
          <Button
            component={Link}
            to="/history/messages"
            variant="default"
            leftSection={<IconMail size={16} stroke={1.6} />}
          >
            {texts.messages.pageTitle}
          </Button>
          {groups.length > 0 && <HistoryExportMenu selection={selection} />}
        </>
      }
    >
      <DeadWebhooks />
      <ReaderChart filter={filter} />
      {(groups.length > 0 || hasFilters) && <FilterBar filter={filter} change={change} clear={clear} />}
      {(result.isPending || (isIncomplete && !result.isError)) && <LoadingSkeleton rows={10} height={22} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.data !== undefined && groups.length === 0 && !isIncomplete && <NoEntries filter={filter} clear={clear} />}
      {days.map((day, index) => (
        <Section key={day.date} title={day.label}>
          <AccessGroups
            groups={day.groups}
            selection={selection}
            isPartial={result.hasNextPage && index === days.length - 1}
            to={to}
          />
        </Section>
      ))}
      {groups.length > 0 && (
        <ListEnd
          texts={texts.list}
          hasMore={result.hasNextPage}
          endText={
            !hasFilters && !groups.some((group) => isOtherPrincipal(group.row.who.kind))
              ? texts.list.onlyYou
              : texts.list.end
          }
          isLoading={result.isFetchingNextPage}
          hasFailed={result.isError}
          loadMore={() => void result.fetchNextPage()}
        />
      )}
      <EntryDrawer
        id={entryId}
        loadedRow={rows[rowIndex]}
        previous={rowIndex > 0 ? rows[rowIndex - 1] : undefined}
        next={rowIndex === -1 ? undefined : rows[rowIndex + 1]}
        open={(id) => open(id, { replace: true })}
        close={() => open(undefined)}
      />
    </Page>
  );
}

function DeadWebhooks() {
  const deadCount = (useQuery(outbox).data ?? []).filter(({ state }) => state === 'dead').length;
  if (deadCount === 0) return null;
  return (
    <Callout
      tone="error"
      title={texts.messages.undelivered(deadCount)}
      action={<TextLink to="/history/messages">{m.home.view}</TextLink>}
    />
  );
}

function NoEntries({ filter, clear }: { filter: Filter; clear: () => void }) {
  if (!isFiltered(filter)) {
    return (
      <EmptyState icon={IconHistory} title={texts.empty.title}>
        {texts.empty.text}
      </EmptyState>
    );
  }
  const isRecordFilter = filter.record !== undefined && activeFilters(filter).length === 1;
  return (
    <EmptyState
      icon={IconHistory}
      title={isRecordFilter ? texts.empty.recordTitle : texts.empty.filteredTitle}
      actions={
        <>
          {filter.record !== undefined && (
            <Button component={Link} to={recordPath(filter.record)} variant="default">
              {m.timeline.open}
            </Button>
          )}
          <Button variant="default" onClick={clear}>
            {texts.filter.clear}
          </Button>
        </>
      }
    >
      {isRecordFilter ? texts.empty.recordText : texts.empty.filteredText}
    </EmptyState>
  );
}
