import { Button, CloseButton, NativeSelect } from '@mantine/core';
import { IconTimelineEvent } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { feed } from '../../api/functions/queries.ts';
import { endpointName } from '../../../shared/components/program-names.ts';
import { DayField } from '../../../shared/form/day-field.tsx';
import { ListEnd } from '../../../shared/components/list-end.tsx';
import { ExampleDataOffer } from '../../components/example-data-offer.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { m } from '../../../shared/messages/texts.ts';
import { groupItemsByDay, endOfDaySeconds } from './day-groups.ts';
import { Entry } from './entry.tsx';
import classes from './timeline-page.module.css';

const words = m.timeline;

/** Timeline of dated entries from all sources. */
export function TimelinePage() {
  const [query, setQuery] = useUrlQuery();
  const source = query.get('source') ?? '';
  const day = query.get('day') ?? '';
  const until = day === '' ? undefined : endOfDaySeconds(day);
  const result = useInfiniteQuery(feed({ endpoint: source === '' ? undefined : source, until }));
  const pages = result.data?.pages ?? [];
  // New entries shift the pages, so an entry can appear on two pages.
  const entries = [...new Map(pages.flatMap((page) => page.entries).map((entry) => [entry.recordId, entry])).values()];
  const sources = pages[0]?.endpoints ?? [];
  const isFiltered = source !== '' || day !== '';
  const setFilter = (name: 'source' | 'day', value: string) =>
    setQuery(withParameters({ [name]: value }), { preventScrollReset: true });
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {(entries.length > 0 || isFiltered) && (
        <div className={classes.filter}>
          <NativeSelect
            label={words.filter.source}
            value={source}
            data={[
              { value: '', label: words.filter.all },
              ...[...new Set([...sources, ...(source === '' ? [] : [source])])].map((endpoint) => ({
                value: endpoint,
                label: words.filter.option(endpointName(endpoint), endpoint),
              })),
            ]}
            onChange={(event) => setFilter('source', event.currentTarget.value)}
          />
          <DayField
            label={words.filter.day}
            value={day}
            rightSection={
              day !== '' && (
                <CloseButton size="sm" aria-label={words.filter.clearDay} onClick={() => setFilter('day', '')} />
              )
            }
            onDay={(next) => setFilter('day', next)}
          />
        </div>
      )}
      {result.isPending && <LoadingSkeleton rows={10} height={22} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.data !== undefined && entries.length === 0 && !result.hasNextPage && (
        <NoEntries isFiltered={isFiltered} clear={() => setQuery(withParameters({ source: '', day: '' }))} />
      )}
      {groupItemsByDay(entries).map((group) => (
        <section key={group.date} aria-label={group.label} className={classes.day}>
          <h2>{group.label}</h2>
          <ol className={classes.list}>
            {group.entries.map((entry) => (
              <Entry key={entry.recordId} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
      {(entries.length > 0 || result.hasNextPage) && (
        <ListEnd
          words={{ more: words.loadMore, loadingMore: words.loadingMore }}
          hasMore={result.hasNextPage}
          end={words.end}
          isLoading={result.isFetchingNextPage}
          loadMore={() => {
            if (!result.isFetchingNextPage) void result.fetchNextPage();
          }}
        />
      )}
    </Page>
  );
}

function NoEntries({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={IconTimelineEvent}
        title={words.empty.filteredTitle}
        actions={
          <Button variant="default" onClick={clear}>
            {words.empty.clear}
          </Button>
        }
      >
        {words.empty.filteredText}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconTimelineEvent}
      title={words.empty.title}
      actions={
        <>
          <ExampleDataOffer />
          <Button component={Link} to="/data/imports" variant="default" size="xs">
            {m.home.empty.importTitle}
          </Button>
          <Button component={Link} to="/functions" variant="default" size="xs">
            {words.empty.functions}
          </Button>
        </>
      }
    >
      {words.empty.text}
    </EmptyState>
  );
}
