import { Loader } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { useParams } from 'react-router';
import type { BrowsedRecord } from '../../api/contract.ts';
import { type Selection, endpoints, queryClient, recordPage } from '../../api/queries.ts';
import { deleteRecords } from '../../components/deleting.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { bytes } from '../../format.ts';
import { m } from '../../messages/en.ts';
import { AddRecord } from './add-record.tsx';
import { useColumns } from './columns.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import { Position } from './position.tsx';
import { RecordDrawer } from './record-drawer.tsx';
import { type GridHandle, RecordGrid } from './record-grid.tsx';
import { RecordsJson } from './records-json.tsx';
import { RecordsToolbar } from './records-toolbar.tsx';
import classes from './records-page.module.css';
import { PAGE, useRecordPages } from './use-record-pages.ts';
import { type View, useView } from './use-view.ts';

const words = m.data;
/** Choosing all of them means loading all of them. */
const CHOOSE_ALL_UP_TO = 2000;

/** The records of one endpoint. */
export function RecordsPage() {
  const endpoint = useParams()['*'] ?? '';
  const [view, change] = useView();
  // A new endpoint is a new page: nothing chosen, nothing opened, its own columns.
  return <Records key={endpoint} endpoint={endpoint} view={view} change={change} />;
}

interface RecordsProps {
  endpoint: string;
  view: View;
  change: (change: Partial<View>, options?: { replace?: boolean }) => void;
}

function Records({ endpoint, view, change }: RecordsProps) {
  const held = useQuery(endpoints).data?.find((one) => one.endpoint === endpoint);
  const wanted: Selection = { endpoint, search: view.search, orderBy: view.orderBy, descending: view.descending };
  // What was asked for is shown when its first page is here; until then the old one stays.
  const first = useQuery({ ...recordPage(wanted, 0, PAGE), placeholderData: keepPreviousData });
  const [shown, setShown] = useState(wanted);
  if (first.data !== undefined && !first.isPlaceholderData && !same(shown, wanted)) setShown(wanted);
  const { columns, hidden } = useColumns(endpoint, first.data?.records);
  const total = first.data?.total ?? 0;

  const [seen, setSeen] = useState({ first: 0, last: 0, seenFirst: 0, seenLast: 0 });
  const pages = useRecordPages(shown, seen.first, Math.max(seen.first, Math.min(seen.last, total - 1)));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const lastChosen = useRef(0);
  const grid = useRef<GridHandle>(null);

  const choose = (record: BrowsedRecord, index: number, range: boolean) => {
    const next = new Set(chosen);
    if (range) {
      for (let at = Math.min(index, lastChosen.current); at <= Math.max(index, lastChosen.current); at += 1) {
        const between = pages.get(at);
        if (between !== undefined) next.add(between.recordId);
      }
    } else if (!next.delete(record.recordId)) next.add(record.recordId);
    lastChosen.current = index;
    setChosen(next);
  };
  const chooseAll = async () => {
    if (chosen.size === total) {
      setChosen(new Set());
      return;
    }
    const all = await queryClient.fetchQuery(recordPage(shown, 0, total));
    setChosen(new Set(all.records.map(({ recordId }) => recordId)));
  };
  const remove = async (ids: string[]) => {
    if (ids.length === 0) return;
    if (await deleteRecords(endpoint, ids)) setChosen(new Set());
    grid.current?.focus();
  };
  const order = (path: string) => {
    const again = view.orderBy === path;
    change({ orderBy: path, descending: again ? !view.descending : path === '', at: 0 });
    grid.current?.scrollTo(0);
  };
  const look = useCallback((next: typeof seen) => setSeen(next), []);

  const nothing = first.data !== undefined && !first.isPlaceholderData && total === 0;
  const openIndex = indexOf(view.record, seen, pages.get);
  return (
    <Page
      full
      title={endpoint.slice(endpoint.indexOf('/') + 1)}
      windowTitle={endpoint}
      crumbs={[
        { label: words.pageTitle, to: '/data' },
        {
          label: endpoint.slice(0, endpoint.indexOf('/')),
          to: `/data?find=${encodeURIComponent(endpoint.slice(0, endpoint.indexOf('/') + 1))}`,
        },
      ]}
      lead={
        held !== undefined && (
          <span className={classes.facts}>
            <span>{words.records(held.records)}</span>
            <span>{bytes(held.bytes)}</span>
            {held.lastChange !== null && (
              <span>
                {words.endpoint.changed} <When at={held.lastChange} />
              </span>
            )}
          </span>
        )
      }
      actions={<EndpointActions endpoint={endpoint} held={held} />}
    >
      <RecordsToolbar
        view={view}
        columns={columns}
        found={view.search === '' || first.isPlaceholderData ? undefined : total}
        busy={first.isPlaceholderData}
        chosen={chosen.size}
        onSearch={(search) => change({ search, at: 0 }, { replace: view.search !== '' })}
        onOrder={(orderBy, descending) => change({ orderBy, descending, at: 0 })}
        onJson={(json) => change({ json })}
        onDelete={() => void remove([...chosen])}
        onClear={() => setChosen(new Set())}
      />
      {first.isPending && <Loading rows={12} height={20} />}
      {first.isError && <Failed error={first.error} retry={() => void first.refetch()} />}
      {nothing && (
        <Empty
          icon={IconTable}
          title={view.search === '' ? words.endpoint.emptyTitle : words.endpoint.noneFound(view.search)}
        >
          {view.search === '' ? words.endpoint.emptyText(endpoint) : undefined}
        </Empty>
      )}
      {total > 0 && view.json && (
        <RecordsJson
          selection={shown}
          at={view.at}
          change={change}
          onOpen={({ recordId }) => change({ record: recordId })}
        />
      )}
      {total > 0 && !view.json && (
        <>
          <RecordGrid
            key={JSON.stringify(shown)}
            handle={grid}
            selection={shown}
            total={total}
            columns={columns}
            get={pages.get}
            chosen={chosen}
            startAt={Math.min(view.at, total - 1)}
            onChoose={choose}
            onChooseAll={total <= CHOOSE_ALL_UP_TO ? () => void chooseAll() : undefined}
            onOpen={(record) => change({ record: record.recordId })}
            onOrder={order}
            onDelete={(record) =>
              void remove(chosen.size > 0 ? [...chosen] : record === undefined ? [] : [record.recordId])
            }
            onView={look}
          />
          {pages.error !== null && <Failed error={pages.error} retry={pages.retry} />}
          <Position
            from={seen.seenFirst}
            to={seen.seenLast}
            total={total}
            hidden={hidden}
            go={(index) => grid.current?.scrollTo(index)}
            settle={(at) => change({ at }, { replace: true })}
            settled={view.at}
          />
        </>
      )}
      {first.isFetching && first.isPlaceholderData && <Loader size="xs" className={classes.busy ?? ''} />}
      <RecordDrawer
        id={view.record}
        known={openIndex === undefined ? undefined : pages.get(openIndex)}
        before={openIndex === undefined ? undefined : pages.get(openIndex - 1)}
        after={openIndex === undefined ? undefined : pages.get(openIndex + 1)}
        open={(recordId) => change({ record: recordId }, { replace: true })}
        close={() => change({ record: null })}
      />
      <AddRecord endpoint={endpoint} />
    </Page>
  );
}

function same(a: Selection, b: Selection): boolean {
  return a.endpoint === b.endpoint && a.search === b.search && a.orderBy === b.orderBy && a.descending === b.descending;
}

function indexOf(
  id: string | null,
  seen: { first: number; last: number },
  get: (index: number) => BrowsedRecord | undefined,
): number | undefined {
  if (id === null) return undefined;
  for (let index = seen.first; index <= seen.last; index += 1) if (get(index)?.recordId === id) return index;
  return undefined;
}
