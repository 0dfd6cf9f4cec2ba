import { Button, Menu } from '@mantine/core';
import { IconDatabase, IconDatabaseImport, IconHistory, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { endpoints } from '../../../api/queries.ts';
import { FindField, useFindParameter } from '../../../../shared/form/find-field.tsx';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { ExampleDataOffer } from '../../../components/example-data-offer.tsx';
import { Page } from '../../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes, number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { endpointPath } from '../../../navigation.ts';
import { type Source, bySource, totals } from './sources.ts';
import { AddRecord } from '../add-record.tsx';
import classes from './endpoints-page.module.css';

const words = m.data;

/** What do I have? Sources and their endpoints. */
export function EndpointsPage() {
  const held = useQuery(endpoints);
  const [, setQuery] = useSearchParams();
  const [find] = useFindParameter();
  const all = held.data ?? [];
  const shown = bySource(all.filter(({ endpoint }) => endpoint.toLowerCase().includes(find.toLowerCase())));
  const sum = totals(all);

  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={all.length > 0 ? words.summary(bySource(all).length, sum.records, sum.bytes) : undefined}
      actions={
        <>
          <Button component={Link} to="/data/imports" leftSection={<IconDatabaseImport size={16} stroke={1.6} />}>
            {words.importFile}
          </Button>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} stroke={1.6} />}
            onClick={() => setQuery({ add: '1' })}
          >
            {words.add}
          </Button>
          <OverflowMenu label={words.endpoint.actions}>
            <Menu.Item component={Link} to="/data/imports" leftSection={<IconHistory size={16} stroke={1.6} />}>
              {words.imports}
            </Menu.Item>
            <Menu.Item component={Link} to="/data/deleted" leftSection={<IconTrash size={16} stroke={1.6} />}>
              {words.recentlyDeleted}
            </Menu.Item>
          </OverflowMenu>
        </>
      }
    >
      {held.isPending && <LoadingSkeleton rows={8} height={24} />}
      {held.isError && <LoadError error={held.error} retry={() => void held.refetch()} />}
      {held.data !== undefined && all.length === 0 && (
        <EmptyState icon={IconDatabase} title={words.empty.title} actions={<ExampleDataOffer />}>
          {words.empty.text}
        </EmptyState>
      )}
      {all.length > 0 && (
        <>
          <FindField
            of={all.length}
            found={shown.length}
            words={{ find: words.filter, clearFind: words.endpoint.clearSearch, findNone: words.filterNone }}
          />
          {shown.length > 0 && <Sources sources={shown} />}
        </>
      )}
      <AddRecord />
    </Page>
  );
}

function Sources({ sources }: { sources: readonly Source[] }) {
  return (
    <table className={classes.table} aria-label={words.list.label}>
      <thead>
        <tr>
          <th scope="col">{words.list.endpoint}</th>
          <th scope="col">{words.list.records}</th>
          <th scope="col" data-wide>
            {words.list.size}
          </th>
          <th scope="col" data-wider>
            {words.list.since}
          </th>
          <th scope="col" data-wide>
            {words.list.last}
          </th>
        </tr>
      </thead>
      {sources.map((source) => (
        <tbody key={source.name}>
          <tr className={classes.source}>
            <th scope="rowgroup" colSpan={5}>
              {source.name}
            </th>
          </tr>
          {source.endpoints.map((one) => (
            <tr key={one.endpoint} className={classes.endpoint}>
              <th scope="row">
                <Link to={endpointPath(one.endpoint)} aria-label={one.endpoint}>
                  {one.endpoint.slice(source.name.length + 1)}
                </Link>
              </th>
              <td>{number(one.records)}</td>
              <td data-wide>{bytes(one.bytes)}</td>
              <td data-wider>{one.firstRecord !== null && <RelativeTime at={one.firstRecord} />}</td>
              <td data-wide>{one.lastChange !== null && <RelativeTime at={one.lastChange} />}</td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}
