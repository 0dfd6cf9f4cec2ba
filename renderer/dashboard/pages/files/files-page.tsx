import { Button } from '@mantine/core';
import { IconFilterOff, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useState } from 'react';
import { Link } from 'react-router';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { type FileSelection, filtersOf, isExactTotal } from '../../api/files/selection.ts';
import { users } from '../../api/account/users.ts';
import { fileMonths, filePage, fileSummary } from '../../api/files/queries.ts';
import { sharedViews } from '../../api/shared-views.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Position } from '../../../shared/long-list/position.tsx';
import { useList } from '../../../shared/long-list/use-list.ts';
import { Page } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { SharedViewList } from '../../shared-views/shared-view-list.tsx';
import { deleteFiles } from './deletion/actions.ts';
import { CollectionBar } from './collections/collection-bar.tsx';
import { FileDrawer } from './detail/file-drawer.tsx';
import { PictureViewer } from './gallery/picture-viewer.tsx';
import { FileGrid } from './list/file-grid.tsx';
import { FolderBar } from './list/folder-bar.tsx';
import { FilesToolbar } from './list/files-toolbar.tsx';
import { EmptyFiles } from './list/empty-files.tsx';
import { UploadButtons } from './uploads/upload-buttons.tsx';
import { hasFilters, useFilesView, defaultOrder } from './list/use-files-view.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.files;

/** The map library is larger than the rest of the page, so it is loaded separately. */
const PictureMap = lazy(async () => ({ default: (await import('./map/picture-map.tsx')).PictureMap }));

const NOT_IN_LIST = { item: undefined, previous: undefined, next: undefined };

export function FilesPage() {
  const [view, change] = useFilesView();
  const summary = useQuery(fileSummary);
  const [editedId, setEditedId] = useState<string | null>(null);
  const list = useList(
    { page: filePage, items: ({ files }) => files, id: ({ file }) => file.fileId, remove: deleteFiles },
    selectionOf(view),
  );
  const { firstPage, shownQuery, total, selected } = list;
  const isGallery = view.layout === 'gallery';
  const isMap = view.layout === 'map';
  // The previous list, which is shown until the gallery has loaded, can have a different order.
  const hasHeadings = isGallery && shownQuery.sort === 'taken';
  const months = useQuery({ ...fileMonths(shownQuery), enabled: hasHeadings });
  const areMonthsReady = !hasHeadings || months.data !== undefined;

  const picture = isMap ? NOT_IN_LIST : list.findWithNeighbours(view.picture);
  const stepPicture = (direction: -1 | 1) => {
    if (isMap) return;
    change(
      (current) => {
        const { index, previous, next } = list.findWithNeighbours(current.picture);
        const neighbour = direction === -1 ? previous : next;
        if (index === undefined || neighbour === undefined) return {};
        // Keeps the picture in view, so that the list loads the pages around it.
        list.position.scrollTo(index + direction);
        return { picture: neighbour.file.fileId };
      },
      { replace: true },
    );
  };
  const isFiltered = hasFilters(view);
  const isEmpty = list.isCurrent && total === 0;
  return (
    <Page
      fitsWindow
      growsWithContent={isMap}
      title={texts.pageTitle}
      lead={
        summary.data !== undefined &&
        summary.data.files > 0 && (
          <TextLink to="/files/space" c="dimmed">
            {texts.summary(summary.data.files, summary.data.bytes)}
          </TextLink>
        )
      }
      actions={<UploadButtons />}
    >
      {(total > 0 || isFiltered) && (
        <FilesToolbar
          view={view}
          change={change}
          summary={summary.data}
          matches={list.isCurrent ? firstPage.data : undefined}
          busy={firstPage.isPlaceholderData}
          selected={[...selected.values()]}
          selection={list.selection}
        />
      )}
      {summary.data !== undefined && summary.data.files > 0 && !summary.data.watching && (
        <Callout tone="neutral">{texts.unwatched}</Callout>
      )}
      {(total > 0 || isFiltered) && (view.folder === '' || view.collection !== undefined) && (
        <CollectionBar openId={view.collection} open={(collection) => change({ collection, position: 0 })} />
      )}
      {(total > 0 || isFiltered) && view.collection === undefined && (
        <FolderBar folder={view.folder} open={(folder) => change({ folder, position: 0 })} />
      )}
      {view.visibleTo !== undefined && <UserViewNotice userId={view.visibleTo} />}
      {(firstPage.isPending || (!areMonthsReady && months.isPending)) && <LoadingSkeleton rows={10} height={28} />}
      {!areMonthsReady && months.isError && <LoadError error={months.error} retry={() => void months.refetch()} />}
      {firstPage.isError && <LoadError error={firstPage.error} retry={() => void firstPage.refetch()} />}
      {isEmpty && !isFiltered && <EmptyFiles summary={summary.data} />}
      {isEmpty && filtersOnlyByCollection(view) && (
        <EmptyState icon={IconStack2} title={m.collections.empty.title}>
          {m.collections.empty.text}
        </EmptyState>
      )}
      {isEmpty && isFiltered && !filtersOnlyByCollection(view) && (
        <EmptyState
          icon={IconFilterOff}
          title={texts.none.title}
          actions={
            <Button component={Link} to="/files" variant="default">
              {m.files.visibleTo.clear}
            </Button>
          }
        >
          {texts.none.text}
        </EmptyState>
      )}
      {total > 0 && isMap && (
        <Suspense fallback={<LoadingSkeleton rows={8} height={32} />}>
          <PictureMap
            key={JSON.stringify(selectionOf(view))}
            selection={selectionOf(view)}
            total={list.isCurrent && isExactTotal(view, total) ? total : undefined}
            onOpen={(fileId) => change({ picture: fileId })}
          />
        </Suspense>
      )}
      {total > 0 && areMonthsReady && !isMap && (
        <>
          <FileGrid
            key={`${JSON.stringify(shownQuery)} ${view.layout}`}
            {...list.grid}
            view={{ ...view, ...shownQuery }}
            months={hasHeadings ? months.data : undefined}
            startAt={Math.min(view.position, total - 1)}
            onOpen={({ file: { fileId } }) => change(isGallery ? { picture: fileId } : { file: fileId })}
            onEdit={({ file: { fileId } }) => {
              setEditedId(fileId);
              change({ file: fileId });
            }}
            onSort={(sort) => {
              const reverseOrder = view.order === 'ascending' ? 'descending' : 'ascending';
              change({ sort, order: view.sort === sort ? reverseOrder : defaultOrder(sort), position: 0 });
            }}
          />
          {list.pages.error !== null && <LoadError error={list.pages.error} retry={list.pages.retry} />}
          <Position
            {...list.position}
            texts={texts.list}
            savePosition={(position) => change({ position }, { replace: true })}
            savedPosition={view.position}
          />
        </>
      )}
      <FileDrawer
        id={view.file}
        {...list.findWithNeighbours(view.file)}
        open={(fileId) => change({ file: fileId }, { replace: true })}
        close={() => change({ file: null })}
        editedId={editedId}
        setEditedId={setEditedId}
      />
      <PictureViewer
        id={view.picture}
        {...picture}
        step={stepPicture}
        openDetails={(fileId) => change({ picture: null, file: fileId }, { replace: true })}
        close={() => change({ picture: null })}
      />
    </Page>
  );
}

const selectionOf = (view: FileSelection): FileSelection => ({
  ...filtersOf(view),
  sort: view.sort,
  order: view.order,
});

const filtersOnlyByCollection = (view: FileSelection): boolean =>
  view.collection !== undefined && !hasFilters({ ...view, collection: undefined });

/** Names the user whose view the list shows, and lists the tables and charts that the user sees. */
function UserViewNotice({ userId }: { userId: string }) {
  // The user may have been added after the list of users was loaded.
  const userList = useQuery({ ...users, refetchOnMount: 'always' });
  const views = (useQuery(sharedViews).data ?? []).filter((view) => view.userId === userId);
  if (userList.data === undefined) return <QueryBoundary query={userList} rows={1} />;
  const name = userList.data.find((user) => user.userId === userId)?.name ?? texts.visibleTo.unknown;
  return (
    <Callout tone="neutral" action={<TextLink to="/files">{texts.visibleTo.clear}</TextLink>}>
      {texts.visibleTo.text(isolateText(name))}
      {views.length > 0 && (
        <>
          {' '}
          {texts.visibleTo.views(isolateText(name))}
          <SharedViewList name={name} views={views} />
        </>
      )}
    </Callout>
  );
}
