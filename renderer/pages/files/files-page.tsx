import { Anchor, Button } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { OwnerFile } from '../../api/contract.ts';
import type { FileSelection } from '../../api/file-selection.ts';
import { filePage, fileSummary } from '../../api/files.ts';
import { queryClient } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';
import { Position } from '../data/position.tsx';
import { deleteFiles } from './deleting-files.ts';
import { FileDrawer } from './file-drawer.tsx';
import { FileGrid, type GridHandle } from './file-grid.tsx';
import { FilesToolbar } from './files-toolbar.tsx';
import { sizeOf } from './kinds.ts';
import { NoFiles } from './no-files.tsx';
import { UploadButtons } from './upload-buttons.tsx';
import { PAGE, useFilePages } from './use-file-pages.ts';
import { isNarrowed, useFilesView, usualOrder } from './use-files-view.ts';

const words = m.files;
/** Choosing all of them means loading all of them. */
const CHOOSE_ALL_UP_TO = 2000;

/** What files do I have? */
export function FilesPage() {
  const [view, change] = useFilesView();
  const summary = useQuery(fileSummary);
  const wanted = selectionOf(view);
  // What was asked for is shown when its first page is here; until then the old one stays.
  const first = useQuery({ ...filePage(wanted, 0, PAGE), placeholderData: keepPreviousData });
  const [shown, setShown] = useState(wanted);
  if (first.data !== undefined && !first.isPlaceholderData && !same(shown, wanted)) setShown(wanted);
  const total = first.data?.total ?? 0;

  const [seen, setSeen] = useState({ first: 0, last: 0, seenFirst: 0, seenLast: 0 });
  const pages = useFilePages(shown, seen.first, Math.max(seen.first, Math.min(seen.last, total - 1)));
  const [chosen, setChosen] = useState<ReadonlyMap<string, OwnerFile>>(new Map());
  const [deleting, setDeleting] = useState(false);
  const lastChosen = useRef(0);
  const grid = useRef<GridHandle>(null);

  const choose = (file: OwnerFile, index: number, range: boolean) => {
    const next = new Map(chosen);
    if (range) {
      for (let at = Math.min(index, lastChosen.current); at <= Math.max(index, lastChosen.current); at += 1) {
        const between = pages.get(at);
        if (between !== undefined) next.set(between.file.fileId, between);
      }
    } else if (!next.delete(file.file.fileId)) next.set(file.file.fileId, file);
    lastChosen.current = index;
    setChosen(next);
  };
  const chooseAll = async () => {
    if (chosen.size === total) {
      setChosen(new Map());
      return;
    }
    const all = await queryClient.fetchQuery(filePage(shown, 0, total));
    setChosen(new Map(all.files.map((file) => [file.file.fileId, file])));
  };
  const remove = async (files: readonly OwnerFile[]) => {
    if (files.length === 0 || deleting) return;
    setDeleting(true);
    if (await deleteFiles(files)) setChosen(new Map());
    setDeleting(false);
    grid.current?.focus();
  };
  const look = useCallback((next: typeof seen) => setSeen(next), []);

  const narrowed = isNarrowed(view);
  const nothing = first.data !== undefined && !first.isPlaceholderData && total === 0;
  const openIndex = indexOf(view.file, seen, pages.get);
  const at = (index: number | undefined) => (index === undefined ? undefined : pages.get(index));
  return (
    <Page
      full
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={
        summary.data !== undefined &&
        summary.data.files > 0 && (
          <Anchor component={Link} to="/files/space" size="sm" c="dimmed">
            {words.summary(summary.data.files, summary.data.bytes)}
          </Anchor>
        )
      }
      actions={<UploadButtons />}
    >
      {(total > 0 || narrowed) && (
        <FilesToolbar
          view={view}
          change={change}
          summary={summary.data}
          found={first.data === undefined || first.isPlaceholderData ? undefined : first.data}
          busy={first.isPlaceholderData}
          chosen={{ count: chosen.size, bytes: [...chosen.values()].reduce((sum, file) => sum + sizeOf(file), 0) }}
          deleting={deleting}
          onDelete={() => void remove([...chosen.values()])}
          onClear={() => setChosen(new Map())}
        />
      )}
      {first.isPending && <Loading rows={10} height={28} />}
      {first.isError && <Failed error={first.error} retry={() => void first.refetch()} />}
      {nothing && !narrowed && <NoFiles summary={summary.data} />}
      {nothing && narrowed && (
        <Empty
          icon={IconFilterOff}
          title={words.none.title}
          actions={
            <Button component={Link} to="/files" variant="default">
              {words.none.clear}
            </Button>
          }
        >
          {words.none.text}
        </Empty>
      )}
      {total > 0 && (
        <>
          <FileGrid
            key={`${JSON.stringify(shown)} ${String(view.tiles)}`}
            handle={grid}
            view={{ ...view, ...shown }}
            total={total}
            get={pages.get}
            chosen={chosen}
            startAt={Math.min(view.at, total - 1)}
            onChoose={choose}
            onChooseAll={total <= CHOOSE_ALL_UP_TO ? () => void chooseAll() : undefined}
            onOpen={({ file }) => change({ file: file.fileId })}
            onOrder={(sort) => {
              const turned = view.order === 'ascending' ? 'descending' : 'ascending';
              change({ sort, order: view.sort === sort ? turned : usualOrder(sort), at: 0 });
            }}
            onDelete={(file) => void remove(chosen.size > 0 ? [...chosen.values()] : file === undefined ? [] : [file])}
            onView={look}
          />
          {pages.error !== null && <Failed error={pages.error} retry={pages.retry} />}
          <Position
            from={seen.seenFirst}
            to={seen.seenLast}
            total={total}
            hidden={0}
            words={words.list}
            go={(index) => grid.current?.scrollTo(index)}
            settle={(position) => change({ at: position }, { replace: true })}
            settled={view.at}
          />
        </>
      )}
      <FileDrawer
        id={view.file}
        known={at(openIndex)}
        before={openIndex === undefined ? undefined : at(openIndex - 1)}
        after={openIndex === undefined ? undefined : at(openIndex + 1)}
        open={(fileId) => change({ file: fileId }, { replace: true })}
        close={() => change({ file: null })}
      />
    </Page>
  );
}

function selectionOf({ search, source, tag, kind, show, sort, order }: FileSelection): FileSelection {
  return { search, source, tag, kind, show, sort, order };
}

function same(a: FileSelection, b: FileSelection): boolean {
  return JSON.stringify(selectionOf(a)) === JSON.stringify(selectionOf(b));
}

function indexOf(
  id: string | null,
  seen: { first: number; last: number },
  get: (index: number) => OwnerFile | undefined,
): number | undefined {
  if (id === null) return undefined;
  for (let index = seen.first; index <= seen.last; index += 1) if (get(index)?.file.fileId === id) return index;
  return undefined;
}
