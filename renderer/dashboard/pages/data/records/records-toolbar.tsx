import { NativeSelect, Text } from '@mantine/core';
import { IconBraces, IconChartBar, IconTable } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { MAX_TABLE_SORTS } from '../../../../../server/wire/limits.ts';
import type { TableSort } from '../../../../../server/wire/table.ts';
import { SelectionBar, type ListSelection } from '../../../../shared/long-list/selection-bar.tsx';
import { ViewChoice } from '../../../../shared/long-list/view-choice.tsx';
import { SearchField } from '../../../../shared/form/search-field.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import type { Column } from './columns.ts';
import classes from './records-toolbar.module.css';
import type { RecordsMode, RecordsView } from './use-view.ts';

const texts = m.data.endpoint;
const sortTexts = m.recordTable.sorts;

interface RecordsToolbarProps {
  view: RecordsView;
  columns: readonly Column[];
  /** Number of matching records; undefined without a search or filters, and until it is loaded. */
  matches: number | undefined;
  busy: boolean;
  selection: ListSelection;
  children: ReactNode;
  selectionActions: ReactNode;
  onSearch: (search: string) => void;
  onSort: (sorts: readonly TableSort[], oldestFirst: boolean) => void;
  onMode: (mode: RecordsMode) => void;
}

const choiceOf = ({ field, descending }: TableSort): string => `${descending ? 'down' : 'up'} ${field}`;
const sortOf = (choice: string): TableSort => {
  const [direction, ...fieldParts] = choice.split(' ');
  return { field: fieldParts.join(' '), descending: direction === 'down' };
};

export function RecordsToolbar(props: RecordsToolbarProps) {
  const { view, columns, matches, busy, selection, children, selectionActions, onSearch, onSort, onMode } = props;
  return (
    <div className={classes.toolbar}>
      {view.mode !== 'chart' && (
        <>
          <SearchField
            className={classes.search}
            label={texts.search}
            value={view.search}
            onSearch={onSearch}
            busy={busy}
          />
          <SortSelects view={view} columns={columns} onSort={onSort} />
          <div className={classes.actions}>{children}</div>
        </>
      )}
      <ViewChoice
        label={texts.view}
        value={view.mode}
        views={[
          { value: 'table', icon: IconTable, text: texts.table },
          { value: 'json', icon: IconBraces, text: texts.json },
          { value: 'chart', icon: IconChartBar, text: m.charts.chart },
        ]}
        onChange={onMode}
      />
      <Text c="dimmed" role="status" ml="sm">
        {matches !== undefined && texts.matchCount(matches)}
      </Text>
      {selection.selectedCount > 0 && (
        <div className={classes.selection}>
          <SelectionBar
            selection={selection}
            text={texts.selected(selection.selectedCount)}
            texts={texts}
            actions={selectionActions}
          />
        </div>
      )}
    </div>
  );
}

function SortSelects({ view, columns, onSort }: Pick<RecordsToolbarProps, 'view' | 'columns' | 'onSort'>) {
  const { sorts, oldestFirst } = view;
  const labelOf = (path: string): string => columns.find((column) => column.path === path)?.label ?? path;
  /** Omits columns that other sort orders use. */
  const choices = (current: TableSort | undefined) => {
    const paths = new Set([...columns.map(({ path }) => path), ...(current === undefined ? [] : [current.field])]);
    const isFree = (path: string): boolean => path === current?.field || !sorts.some(({ field }) => field === path);
    return [...paths].flatMap((path) =>
      path === '' || !isFree(path)
        ? []
        : [
            { value: `up ${path}`, label: texts.by(labelOf(path)) },
            { value: `down ${path}`, label: texts.byDescending(labelOf(path)) },
          ],
    );
  };
  const [firstSort] = sorts;
  const furtherSorts = sorts.length === 0 ? [] : [...sorts.slice(1), undefined].slice(0, MAX_TABLE_SORTS - 1);
  return (
    <>
      <NativeSelect
        className={classes.order ?? ''}
        aria-label={texts.order}
        value={firstSort === undefined ? (oldestFirst ? 'up ' : 'down ') : choiceOf(firstSort)}
        data={[{ value: 'down ', label: texts.newest }, { value: 'up ', label: texts.oldest }, ...choices(firstSort)]}
        onChange={(event) => {
          const sort = sortOf(event.currentTarget.value);
          if (sort.field === '') onSort([], !sort.descending);
          else onSort([sort, ...sorts.slice(1).filter(({ field }) => field !== sort.field)], false);
        }}
      />
      {furtherSorts.map((sort, index) => (
        <NativeSelect
          key={sort?.field ?? ''}
          className={classes.order ?? ''}
          wrapperProps={{ 'data-unused': sort === undefined || undefined }}
          aria-label={sortTexts.thenBy}
          value={sort === undefined ? '' : choiceOf(sort)}
          data={[{ value: '', label: sortTexts.noFurther }, ...choices(sort)]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            const newSorts = value === '' ? [] : [sortOf(value)];
            onSort([...sorts.slice(0, index + 1), ...newSorts, ...sorts.slice(index + 2)], false);
          }}
        />
      ))}
    </>
  );
}
