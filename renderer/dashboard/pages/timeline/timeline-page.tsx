import { Button, CloseButton, NativeSelect } from '@mantine/core';
import { IconTimelineEvent } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { takenPictures } from '../../api/files/queries.ts';
import { feed } from '../../api/functions/queries.ts';
import { endpointName } from '../../../shared/components/program-names.ts';
import { DayField } from '../../../shared/form/day-field.tsx';
import { ListEnd } from '../../../shared/components/list-end.tsx';
import { filesPath } from '../../navigation.ts';
import { PictureViewer } from '../files/gallery/picture-viewer.tsx';
import { ExampleDataOffer } from '../../components/example-data-offer.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { m } from '../../../shared/messages/texts.ts';
import { completeDownTo, groupItemsByDay, endOfDaySeconds } from './day-groups.ts';
import { DayPictures } from './day-pictures.tsx';
import { Entry } from './entry.tsx';
import classes from './timeline-page.module.css';

const words = m.timeline;

/** Timeline of dated entries from all sources, and of pictures with a date taken. */
export function TimelinePage() {
  const [query, setQuery] = useUrlQuery();
  const navigate = useNavigate();
  const source = query.get('source') ?? '';
  const day = query.get('day') ?? '';
  const until = day === '' ? undefined : endOfDaySeconds(day);
  const result = useInfiniteQuery(feed({ endpoint: source === '' ? undefined : source, until }));
  const pages = result.data?.pages ?? [];
  // New entries shift the pages, so an entry can appear on two pages.
  const entries = [...new Map(pages.flatMap((page) => page.entries).map((entry) => [entry.recordId, entry])).values()];
  const hasPictures = source === '';
  const pictureQuery = useInfiniteQuery({
    ...takenPictures(until === undefined ? undefined : until * 1000 + 999),
    enabled: hasPictures,
  });
  const picturePages = hasPictures ? (pictureQuery.data?.pages ?? []) : [];
  const pictures = [
    ...new Map(picturePages.flatMap((page) => page.pictures).map((picture) => [picture.ledgerId, picture])).values(),
  ];
  const hasMorePictures = hasPictures && pictureQuery.hasNextPage;
  const limits = completeDownTo(pages.at(-1)?.next, { loaded: pictures, hasMore: hasMorePictures });
  const days = groupItemsByDay(entries, pictures, Math.max(limits.entries, limits.pictures));
  const isPending = result.isPending || (hasPictures && pictureQuery.isPending);
  const hasMore = result.hasNextPage || hasMorePictures;
  /** Loads the next page of the list that is less complete: the one loaded only down to a later time. */
  const loadMore = () => {
    const isFeedNext = result.hasNextPage && limits.entries >= limits.pictures;
    const next = isFeedNext ? result : pictureQuery;
    if (!next.isFetchingNextPage) void next.fetchNextPage();
  };
  const openPicture = query.get('picture') ?? '';
  const pictureNear = (fileId: string, step: -1 | 0 | 1) => {
    const index = pictures.findIndex(({ file }) => file.fileId === fileId);
    return index === -1 ? undefined : pictures[index + step];
  };
  const showPicture = (fileId: string) => setQuery(withParameters({ picture: fileId }), { preventScrollReset: true });
  const stepPicture = (direction: -1 | 1) =>
    setQuery(
      (current) => {
        const next = pictureNear(current.get('picture') ?? '', direction);
        if (next !== undefined) current.set('picture', next.file.fileId);
        return current;
      },
      { replace: true, preventScrollReset: true },
    );
  const sources = pages[0]?.endpoints ?? [];
  const isFiltered = source !== '' || day !== '';
  const setFilter = (name: 'source' | 'day', value: string) =>
    setQuery(withParameters({ [name]: value }), { preventScrollReset: true });
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {(entries.length > 0 || pictures.length > 0 || isFiltered) && (
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
      {isPending && <LoadingSkeleton rows={10} height={22} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {pictureQuery.isError && <LoadError error={pictureQuery.error} retry={() => void pictureQuery.refetch()} />}
      {result.data !== undefined && !isPending && entries.length + pictures.length === 0 && !hasMore && (
        <NoEntries isFiltered={isFiltered} clear={() => setQuery(withParameters({ source: '', day: '' }))} />
      )}
      {!isPending &&
        days.map((group) => (
          <section key={group.date} aria-label={group.label} className={classes.day}>
            <h2>{group.label}</h2>
            {group.pictures.length > 0 && <DayPictures pictures={group.pictures} open={showPicture} />}
            {group.entries.length > 0 && (
              <ol className={classes.list}>
                {group.entries.map((entry) => (
                  <Entry key={entry.recordId} entry={entry} />
                ))}
              </ol>
            )}
          </section>
        ))}
      {(entries.length + pictures.length > 0 || hasMore) && (
        <ListEnd
          words={{ more: words.loadMore, loadingMore: words.loadingMore }}
          hasMore={hasMore}
          end={words.end}
          isLoading={result.isFetchingNextPage || pictureQuery.isFetchingNextPage}
          loadMore={loadMore}
        />
      )}
      <PictureViewer
        id={openPicture === '' ? null : openPicture}
        item={pictureNear(openPicture, 0)}
        before={pictureNear(openPicture, -1)}
        after={pictureNear(openPicture, 1)}
        step={stepPicture}
        openDetails={(fileId) => void navigate(filesPath({ file: fileId }))}
        close={() => showPicture('')}
      />
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
