import { Checkbox, Skeleton, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { type KeyboardEvent, memo, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import type { BrowsedRecord } from '../../api/contract.ts';
import type { Selection } from '../../api/queries.ts';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/en.ts';
import { type Column, cellText, valueAt } from './columns.ts';
import { Highlighted } from './highlighted.tsx';
import classes from './record-grid.module.css';
import { useLongList } from './use-long-list.ts';

const words = m.data.endpoint;
const ROW = 36;
const HEAD = 37;
const SELECT_WIDTH = 44;
const CREATED_WIDTH = 108;

export interface GridHandle {
  scrollTo: (index: number) => void;
  focus: () => void;
}

interface RecordGridProps {
  selection: Selection;
  total: number;
  columns: readonly Column[];
  get: (index: number) => BrowsedRecord | undefined;
  chosen: ReadonlySet<string>;
  onChoose: (record: BrowsedRecord, index: number, range: boolean) => void;
  onChooseAll: (() => void) | undefined;
  onOpen: (record: BrowsedRecord) => void;
  onOrder: (path: string) => void;
  onDelete: (record: BrowsedRecord | undefined) => void;
  /** Rows to load, and rows really in view. */
  onView: (view: { first: number; last: number; seenFirst: number; seenLast: number }) => void;
  startAt: number;
  handle: React.Ref<GridHandle>;
}

/** The records of an endpoint, as many as there are: only the rows in view exist. */
export function RecordGrid(props: RecordGridProps) {
  const { selection, total, columns, get, chosen, onOpen, onOrder, onView, startAt, handle } = props;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const list = useLongList(scroller, total, ROW, HEAD);
  const [active, setActive] = useState(startAt);
  const { first, last, seenFirst, seenLast, scrollTo } = list;
  // Rows are drawn once and kept; what they call must still be what the page wants now.
  const now = useRef(props);
  useLayoutEffect(() => {
    now.current = props;
  });
  const current = Math.max(0, Math.min(active, total - 1));

  useEffect(() => onView({ first, last, seenFirst, seenLast }), [onView, first, last, seenFirst, seenLast]);
  useImperativeHandle(
    handle,
    () => ({
      scrollTo: (index: number) => {
        setActive(index);
        scrollTo(index);
      },
      focus: () => scroller?.focus(),
    }),
    [scroller, scrollTo],
  );
  // Where the address says; once, when the list is first laid out.
  const start = useRef(startAt);
  useEffect(() => {
    if (scroller === null || start.current === 0) return;
    scrollTo(start.current);
    start.current = 0;
  }, [scroller, scrollTo]);

  // Enter on a row that is still on its way opens it when it has come.
  const awaited = useRef<number>(undefined);
  useEffect(() => {
    const arrived = awaited.current === undefined ? undefined : get(awaited.current);
    if (arrived === undefined) return;
    awaited.current = undefined;
    now.current.onOpen(arrived);
  });

  const move = (to: number) => {
    awaited.current = undefined;
    const next = Math.max(0, Math.min(total - 1, to));
    setActive(next);
    scrollTo(next, 'nearest');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller) return;
    const page = Math.max(1, seenLast - seenFirst - 1);
    const record = get(current);
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(total - 1),
      Enter: () => {
        if (record === undefined) awaited.current = current;
        else onOpen(record);
      },
      ' ': () => record && props.onChoose(record, current, event.shiftKey),
      Delete: () => props.onDelete(record),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  const template = `${SELECT_WIDTH}px ${CREATED_WIDTH}px ${columns.map(({ width }) => `minmax(${width}px, ${width}fr)`).join(' ')}`;
  const width = columns.reduce((sum, column) => sum + column.width, SELECT_WIDTH + CREATED_WIDTH);
  const rows: number[] = [];
  for (let index = first; index <= last; index += 1) rows.push(index);

  return (
    <div
      ref={setScroller}
      className={classes.grid}
      role="grid"
      tabIndex={0}
      aria-label={words.gridLabel(selection.endpoint)}
      aria-description={words.keys}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 2}
      aria-multiselectable="true"
      aria-activedescendant={current >= first && current <= last ? `row-${current}` : undefined}
      onKeyDown={onKeyDown}
      style={{ '--columns': template, '--width': `${width}px` } as React.CSSProperties}
    >
      <div role="rowgroup" className={classes.head}>
        <div role="row" aria-rowindex={1} className={classes.row}>
          <div role="columnheader" className={classes.select}>
            {props.onChooseAll === undefined ? (
              <span className={classes.hiddenLabel}>{words.select}</span>
            ) : (
              <Checkbox
                size="xs"
                aria-label={words.selectAll}
                checked={chosen.size > 0 && chosen.size === total}
                indeterminate={chosen.size > 0 && chosen.size < total}
                onChange={props.onChooseAll}
              />
            )}
          </div>
          <HeadCell label={words.created} path="" selection={selection} onOrder={onOrder} />
          {columns.map((column) => (
            <HeadCell
              key={column.path}
              label={column.path === '' ? words.value : column.label}
              path={column.path}
              // A record that is no object has no path to order it by.
              fixed={column.path === ''}
              numeric={column.numeric}
              selection={selection}
              onOrder={onOrder}
            />
          ))}
        </div>
      </div>
      <div role="rowgroup" className={classes.body} style={{ blockSize: list.height }}>
        {rows.map((index) => {
          const record = get(index);
          return (
            <Row
              key={index}
              index={index}
              top={list.top(index)}
              record={record}
              columns={columns}
              search={selection.search}
              active={index === current}
              chosen={record !== undefined && chosen.has(record.recordId)}
              onPress={(range) => {
                setActive(index);
                if (record !== undefined && range) now.current.onChoose(record, index, true);
                else if (record !== undefined) now.current.onOpen(record);
              }}
              onChoose={(range) => {
                setActive(index);
                if (record !== undefined) now.current.onChoose(record, index, range);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

interface HeadCellProps {
  label: string;
  path: string;
  numeric?: boolean;
  fixed?: boolean;
  selection: Selection;
  onOrder: (path: string) => void;
}

function HeadCell({ label, path, numeric = false, fixed = false, selection, onOrder }: HeadCellProps) {
  const ordered = !fixed && selection.orderBy === path;
  const Arrow = selection.descending ? IconArrowDown : IconArrowUp;
  return (
    <div
      role="columnheader"
      className={classes.headCell}
      data-numeric={numeric || undefined}
      aria-sort={ordered ? (selection.descending ? 'descending' : 'ascending') : 'none'}
    >
      {fixed ? (
        <span>{label}</span>
      ) : (
        <UnstyledButton onClick={() => onOrder(path)} title={words.sortBy(label)} className={classes.order}>
          <span>{label}</span>
          {ordered && <Arrow size={14} stroke={1.8} aria-hidden="true" />}
        </UnstyledButton>
      )}
    </div>
  );
}

interface RowProps {
  index: number;
  top: number;
  record: BrowsedRecord | undefined;
  columns: readonly Column[];
  search: string;
  active: boolean;
  chosen: boolean;
  onPress: (range: boolean) => void;
  onChoose: (range: boolean) => void;
}

const Row = memo(
  function Row({ index, top, record, columns, search, active, chosen, onPress, onChoose }: RowProps) {
    return (
      <div
        role="row"
        id={`row-${index}`}
        aria-rowindex={index + 2}
        aria-selected={chosen}
        data-active={active || undefined}
        data-chosen={chosen || undefined}
        className={classes.row}
        style={{ transform: `translateY(${top}px)` }}
        onClick={(event) => {
          // Marking text in a row is not opening it.
          if (window.getSelection()?.isCollapsed === false && !event.shiftKey) return;
          onPress(event.shiftKey);
        }}
      >
        <div role="gridcell" className={classes.select} onClick={(event) => event.stopPropagation()}>
          <Checkbox
            size="xs"
            tabIndex={-1}
            aria-label={words.selectRow(index + 1)}
            checked={chosen}
            disabled={record === undefined}
            onChange={(event) => onChoose((event.nativeEvent as MouseEvent).shiftKey)}
          />
        </div>
        {record === undefined ? (
          <div role="gridcell" className={classes.waiting} aria-colspan={columns.length + 1}>
            <Skeleton height={10} width={`${30 + ((index * 37) % 45)}%`} />
          </div>
        ) : (
          <>
            <div role="gridcell" className={classes.when}>
              <When at={record.dateCreated} short />
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
      </div>
    );
  },
  (before, after) =>
    before.record === after.record &&
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
