import { Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { memo, useState } from 'react';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import type { RecordSelection } from '../../../api/queries.ts';
import { GridRow, HeadCell, SelectCell, SelectHead } from '../../../../shared/long-list/grid-parts.tsx';
import { type GridItem, type GridProps, range, useGrid } from '../../../../shared/long-list/use-grid.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { type Column, cellText, valueAt } from './columns.ts';
import { Highlighted } from './highlighted-text.tsx';
import classes from './record-grid.module.css';

const words = m.data.endpoint;
/** Pixels. */
const ROW = 36;
const HEAD = 37;
/** More of each for a finger. */
const ON_A_PHONE = 4;
const SELECT_WIDTH = 44;
const CREATED_WIDTH = 108;

interface RecordGridProps extends GridProps<BrowsedRecord> {
  selection: RecordSelection;
  columns: readonly Column[];
  onOrder: (path: string) => void;
}

/** The records of an endpoint, as many as there are: only the rows in view exist. */
export function RecordGrid(props: RecordGridProps) {
  const { selection, total, columns, chosen, onChooseShown, onOrder } = props;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const more = isPhone ? ON_A_PHONE : 0;
  const rowHeight = ROW + more;
  const { list, itemAt, frame } = useGrid(props, { scroller, across: 1, rowHeight, head: HEAD + more, name: 'row' });
  const template = `${SELECT_WIDTH}px ${CREATED_WIDTH}px ${columns.map(({ width }) => `minmax(${width}px, ${width}fr)`).join(' ')}`;
  const width = columns.reduce((sum, column) => sum + column.width, SELECT_WIDTH + CREATED_WIDTH);
  const orderOf = (path: string) => {
    if (selection.orderBy !== path) return undefined;
    return selection.descending ? 'descending' : 'ascending';
  };

  return (
    <div
      ref={setScroller}
      {...frame}
      className={classes.grid}
      aria-label={words.gridLabel(selection.endpoint)}
      aria-description={words.keys}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 2}
      style={
        { '--columns': template, '--width': `${width}px`, '--row-height': `${rowHeight}px` } as React.CSSProperties
      }
    >
      <div role="rowgroup" className={classes.head}>
        <div role="row" aria-rowindex={1} className={classes.row}>
          <SelectHead total={total} chosen={chosen.size} onChooseShown={onChooseShown} words={words} />
          <HeadCell
            label={words.created}
            hint={words.sortBy(words.created)}
            order={orderOf('')}
            onOrder={() => onOrder('')}
          />
          {columns.map(({ path, label, numeric }) =>
            // A record that is no object has no path to order it by.
            path === '' ? (
              <HeadCell key={path} label={words.value} numeric={numeric} />
            ) : (
              <HeadCell
                key={path}
                label={label}
                numeric={numeric}
                hint={words.sortBy(label)}
                order={orderOf(path)}
                onOrder={() => onOrder(path)}
              />
            ),
          )}
        </div>
      </div>
      <div role="rowgroup" className={classes.body} style={{ blockSize: list.height }}>
        {range(list.first, list.last).map((index) => (
          <Row key={index} {...itemAt(index)} top={list.top(index)} columns={columns} search={selection.search} />
        ))}
      </div>
    </div>
  );
}

interface RowProps extends GridItem<BrowsedRecord> {
  top: number;
  columns: readonly Column[];
  search: string;
}

const Row = memo(
  function Row({ item: record, onChoose, columns, search, ...row }: RowProps) {
    return (
      <GridRow id={`row-${row.index}`} className={classes.row} {...row}>
        <SelectCell
          label={words.selectRow(row.index + 1)}
          chosen={row.chosen}
          disabled={record === undefined}
          onChoose={onChoose}
        />
        {record === undefined ? (
          <div role="gridcell" className={classes.waiting} aria-colspan={columns.length + 1}>
            <Skeleton height={10} width={`${30 + ((row.index * 37) % 45)}%`} />
          </div>
        ) : (
          <>
            <div role="gridcell" className={classes.when}>
              <RelativeTime at={record.dateCreated} short />
            </div>
            {columns.map((column) => (
              <Cell
                key={column.path}
                value={valueAt(record.data, column.path)}
                numeric={column.numeric}
                search={search}
              />
            ))}
          </>
        )}
      </GridRow>
    );
  },
  (before, after) =>
    before.item === after.item &&
    before.top === after.top &&
    before.active === after.active &&
    before.chosen === after.chosen &&
    before.columns === after.columns &&
    before.search === after.search &&
    before.index === after.index,
);

const MAX_CELL = 240;

function Cell({ value, numeric, search }: { value: unknown; numeric: boolean; search: string }) {
  const text = cellText(value);
  const kind = value === null ? 'nothing' : typeof value === 'object' ? 'inner' : undefined;
  return (
    <div role="gridcell" className={classes.cell} data-kind={kind} data-numeric={numeric || undefined}>
      <Highlighted text={text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text} search={search} />
    </div>
  );
}
