import { Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { memo, useMemo, useRef, useState } from 'react';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import type { RecordSelection } from '../../../api/queries.ts';
import { evenRows } from '../../../../shared/long-list/grid-rows.ts';
import {
  GridRow,
  HeaderCell,
  SelectCell,
  SelectHeader,
  skeletonWidth,
} from '../../../../shared/long-list/grid-parts.tsx';
import { type GridItem, type GridProps, range, useGrid } from '../../../../shared/long-list/use-grid.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import { ColourDot } from '../endpoints/endpoint-icon.tsx';
import type { WidthChange } from '../record-table/column-choices.ts';
import { ColumnResizer } from '../record-table/column-resizer.tsx';
import { type Column, valueAt } from './columns.ts';
import { formatField } from './field-format.ts';
import { FieldValue } from './field-value.tsx';
import { HighlightedText } from './highlighted-text.tsx';
import classes from './record-grid.module.css';

const texts = m.data.endpoint;
const sortTexts = m.recordTable.sorts;
/** Sizes in pixels. */
const ROW_HEIGHT = 36;
const HEAD_HEIGHT = 37;
const TOUCH_EXTRA_HEIGHT = 4;
const SELECT_WIDTH = 44;
const CREATED_WIDTH = 108;

interface RecordGridProps extends GridProps<BrowsedRecord> {
  selection: RecordSelection;
  columns: readonly Column[];
  /**
   * @param path empty for the creation time
   * @param isAdditional true to add a sort order instead of replacing the others
   */
  onSort: (path: string, isAdditional: boolean) => void;
  /** @param renderedWidths rendered widths of all columns before the change, by path */
  onResize: (path: string, change: WidthChange, renderedWidths: ReadonlyMap<string, number>) => void;
}

/** Column widths during the drag of an edge. Valid only while the table has exactly the columns in `columns`. */
interface WidthPreview {
  columns: readonly Column[];
  initialWidths: ReadonlyMap<string, number>;
  widths: ReadonlyMap<string, number>;
}

export function RecordGrid(props: RecordGridProps) {
  const { selection, total, columns, selected, onSelectVisible, onSort, onResize } = props;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const extraHeight = isPhone ? TOUCH_EXTRA_HEIGHT : 0;
  const rowHeight = ROW_HEIGHT + extraHeight;
  const { list, itemAt, scrollerProps } = useGrid(props, {
    scroller,
    rows: useMemo(() => evenRows(total, 1), [total]),
    isSingleColumn: true,
    unitHeight: rowHeight,
    headHeight: HEAD_HEIGHT + extraHeight,
    idPrefix: 'row',
  });
  const headRow = useRef<HTMLDivElement>(null);
  const [storedPreview, setPreview] = useState<WidthPreview>();
  const preview = storedPreview?.columns === columns ? storedPreview : undefined;
  const widthOf = (column: Column): number => preview?.widths.get(column.path) ?? column.width;
  // Columns fill the table unless the owner has chosen a width or is dragging an edge.
  const isFilled = preview === undefined && !columns.some(({ isSized }) => isSized);
  const tracks = columns
    .map(widthOf)
    .map((trackWidth) => (isFilled ? `minmax(${trackWidth}px, ${trackWidth}fr)` : `${trackWidth}px`));
  const template = `${SELECT_WIDTH}px ${tracks.join(' ')} ${CREATED_WIDTH}px`;
  const width = columns.reduce((sum, column) => sum + widthOf(column), SELECT_WIDTH + CREATED_WIDTH);
  const measureColumns = (): ReadonlyMap<string, number> => {
    const headings = [...(headRow.current?.children ?? [])].slice(1);
    return new Map(columns.map(({ path }, index) => [path, headings[index]?.getBoundingClientRect().width ?? 0]));
  };
  /** @param draggedWidth undefined to end the preview */
  const previewWidth = (path: string, draggedWidth: number | undefined) => {
    const initialWidths = preview?.initialWidths ?? measureColumns();
    setPreview(
      draggedWidth === undefined
        ? undefined
        : { columns, initialWidths, widths: new Map([...initialWidths, [path, draggedWidth]]) },
    );
  };
  const orderOf = (path: string) => {
    if (path === '' && selection.sorts.length === 0) return selection.oldestFirst ? 'ascending' : 'descending';
    const sort = selection.sorts.find(({ field }) => field === path);
    if (sort === undefined) return undefined;
    return sort.descending ? 'descending' : 'ascending';
  };
  const rankOf = (path: string): number | undefined => {
    const index = selection.sorts.findIndex(({ field }) => field === path);
    return index === -1 || selection.sorts.length === 1 ? undefined : index + 1;
  };

  return (
    <div
      ref={setScroller}
      {...scrollerProps}
      className={classes.grid}
      aria-label={texts.gridLabel(selection.endpoint)}
      aria-description={texts.keys}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 2}
      style={
        { '--columns': template, '--width': `${width}px`, '--row-height': `${rowHeight}px` } as React.CSSProperties
      }
    >
      <div role="rowgroup" className={classes.header}>
        <div ref={headRow} role="row" aria-rowindex={1} className={classes.row}>
          <SelectHeader total={total} selectedCount={selected.size} onSelectVisible={onSelectVisible} texts={texts} />
          {columns.map((column) => {
            const { path, label, isNumeric, isSized, field } = column;
            const icon = <ColourDot colour={field.colour} />;
            const resizer = (
              <ColumnResizer
                label={label}
                width={column.width}
                isSized={isSized}
                onPreview={(draggedWidth) => previewWidth(path, draggedWidth)}
                onResize={(change) => onResize(path, change, preview?.initialWidths ?? measureColumns())}
              />
            );
            // The empty path is the whole record, by which the table cannot be sorted.
            return path === '' ? (
              <HeaderCell key={path} label={texts.value} icon={icon} numeric={isNumeric} resizer={resizer} />
            ) : (
              <HeaderCell
                key={path}
                label={label}
                icon={icon}
                numeric={isNumeric}
                hint={sortTexts.hint(withoutBidiControls(path))}
                sortDirection={orderOf(path)}
                sortRank={rankOf(path)}
                onSort={(isAdditional) => onSort(path, isAdditional)}
                resizer={resizer}
              />
            );
          })}
          <HeaderCell
            label={texts.created}
            hint={texts.sortBy(texts.created)}
            sortDirection={orderOf('')}
            onSort={() => onSort('', false)}
          />
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
  function Row({ item: record, onSelect, columns, search, ...row }: RowProps) {
    return (
      <GridRow id={`row-${row.index}`} className={classes.row} {...row}>
        <SelectCell
          label={texts.selectRow(row.index + 1)}
          selected={row.selected}
          disabled={record === undefined}
          onSelect={onSelect}
        />
        {record === undefined ? (
          <div role="gridcell" className={classes.placeholder} aria-colspan={columns.length + 1}>
            <Skeleton height={10} width={skeletonWidth(row.index)} />
          </div>
        ) : (
          <>
            {columns.map((column) => (
              <Cell key={column.path} value={valueAt(record.data, column.path)} column={column} search={search} />
            ))}
            <div role="gridcell" className={classes.timestamp}>
              <RelativeTime at={record.dateCreated} short />
            </div>
          </>
        )}
      </GridRow>
    );
  },
  (previous, next) =>
    previous.item === next.item &&
    previous.top === next.top &&
    previous.active === next.active &&
    previous.selected === next.selected &&
    previous.columns === next.columns &&
    previous.search === next.search &&
    previous.index === next.index,
);

const CELL_MAX_CHARS = 240;

function Cell({ value, column, search }: { value: unknown; column: Column; search: string }) {
  const formatted = formatField(value, column.field, CELL_MAX_CHARS);
  return (
    <div role="gridcell" className={classes.cell} data-numeric={column.isNumeric || undefined}>
      <FieldValue value={formatted} isInGrid>
        <HighlightedText text={formatted.text} search={search} />
      </FieldValue>
    </div>
  );
}
