import { NativeSelect, Text } from '@mantine/core';
import { IconBraces, IconChartBar, IconTable } from '@tabler/icons-react';
import { SelectionBar, type ListSelection } from '../../../../shared/long-list/selection-bar.tsx';
import { ViewChoice } from '../../../../shared/long-list/view-choice.tsx';
import { SearchField } from '../../../../shared/form/search-field.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import type { Column } from './columns.ts';
import classes from './records-toolbar.module.css';
import type { RecordsMode, RecordsView } from './use-view.ts';

const words = m.data.endpoint;

interface RecordsToolbarProps {
  view: RecordsView;
  columns: readonly Column[];
  /** Number of records that match the search; undefined without a search. */
  matches: number | undefined;
  busy: boolean;
  selection: ListSelection;
  onSearch: (search: string) => void;
  onSort: (orderBy: string, descending: boolean) => void;
  onMode: (mode: RecordsMode) => void;
}

/** Search, order, view and selection of the records of an endpoint. */
export function RecordsToolbar(props: RecordsToolbarProps) {
  const { view, columns, matches, busy, selection, onSearch, onSort, onMode } = props;
  const orders = [
    { value: 'down ', label: words.newest },
    { value: 'up ', label: words.oldest },
    ...columns
      .filter(({ path }) => path !== '')
      .flatMap(({ path, label }) => [
        { value: `up ${path}`, label: words.by(label) },
        { value: `down ${path}`, label: words.byDescending(label) },
      ]),
  ];
  const order = `${view.descending ? 'down' : 'up'} ${view.orderBy}`;
  if (!orders.some(({ value }) => value === order)) {
    orders.push({ value: order, label: view.descending ? words.byDescending(view.orderBy) : words.by(view.orderBy) });
  }

  return (
    <div className={classes.toolbar}>
      {view.mode !== 'chart' && (
        <>
          <SearchField
            className={classes.search}
            label={words.search}
            clearLabel={words.clearSearch}
            value={view.search}
            onSearch={onSearch}
            busy={busy}
          />
          <NativeSelect
            className={classes.order ?? ''}
            aria-label={words.order}
            value={order}
            data={orders}
            onChange={(event) => {
              const [direction, ...path] = event.currentTarget.value.split(' ');
              onSort(path.join(' '), direction === 'down');
            }}
          />
        </>
      )}
      <ViewChoice
        label={words.view}
        value={view.mode}
        views={[
          { value: 'table', icon: IconTable, text: words.table },
          { value: 'json', icon: IconBraces, text: words.json },
          { value: 'chart', icon: IconChartBar, text: m.charts.chart },
        ]}
        onChange={onMode}
      />
      <Text size="sm" c="dimmed" role="status" className={classes.found ?? ''}>
        {matches !== undefined && words.found(matches)}
      </Text>
      {selection.selectedCount > 0 && (
        <div className={classes.selected}>
          <SelectionBar selection={selection} text={words.selected(selection.selectedCount)} words={words} />
        </div>
      )}
    </div>
  );
}
