import { useMediaQuery } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { FileMonths, OwnerFile } from '../../../../shared/api/contract.ts';
import { monthOfYear } from '../../../../shared/format/format.ts';
import { evenRows, groupedRows } from '../../../../shared/long-list/grid-rows.ts';
import { type GridProps, range, useGrid } from '../../../../shared/long-list/use-grid.ts';
import { TILE_HEIGHT_PX, useTilesPerRow } from '../../../../shared/long-list/use-tiles-per-row.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './file-grid.module.css';
import { COLUMN_COUNT, FileHeader, FileRow } from './file-row.tsx';
import { FileTile } from './file-tile.tsx';
import type { FilesView } from './use-files-view.ts';

const texts = m.files.list;

const ROW_HEIGHT_PX = 52;
const TABLE_HEADER_HEIGHT_PX = 37;
const PHONE_TABLE_HEADER_HEIGHT_PX = 41;
/** Height of a month heading, which is one unit of the grid. A tile row is four units high. */
const MONTH_HEADING_HEIGHT_PX = 52;
const UNITS_PER_TILE_ROW = TILE_HEIGHT_PX / MONTH_HEADING_HEIGHT_PX;

interface FileGridProps extends GridProps<OwnerFile> {
  view: FilesView;
  /** Months in the gallery; undefined if the view has no month headings. */
  months: FileMonths | undefined;
  onSort: (sort: FilesView['sort']) => void;
}

export function FileGrid(props: FileGridProps) {
  const { view, months, total, selected, onSelectVisible, onSort } = props;
  const hasTiles = view.layout !== 'list';
  const isPhone = useMediaQuery('(max-width: 48em)');
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const tilesPerRow = useTilesPerRow(hasTiles ? scroller : null, isPhone);
  const columns = hasTiles ? tilesPerRow : 1;
  const rowHeight = hasTiles ? TILE_HEIGHT_PX : ROW_HEIGHT_PX;
  const rows = useMemo(
    () =>
      months === undefined
        ? evenRows(total, columns)
        : groupedRows(
            months.map(({ files }) => files),
            { total, columns, unitsPerRow: UNITS_PER_TILE_ROW },
          ),
    [months, total, columns],
  );
  const { list, itemAt, scrollerProps } = useGrid(props, {
    scroller,
    rows,
    isSingleColumn: columns === 1,
    unitHeight: months === undefined ? rowHeight : MONTH_HEADING_HEIGHT_PX,
    headHeight: hasTiles ? 0 : isPhone ? PHONE_TABLE_HEADER_HEIGHT_PX : TABLE_HEADER_HEIGHT_PX,
    idPrefix: 'file',
  });

  return (
    <div
      ref={setScroller}
      {...scrollerProps}
      className={classes.grid}
      aria-label={texts.label}
      aria-description={texts.keys}
      aria-rowcount={rows.rowCount + (hasTiles ? 0 : 1)}
      aria-colcount={hasTiles ? columns : COLUMN_COUNT}
      style={{ '--tiles-per-row': columns, '--row-height': `${rowHeight}px` } as React.CSSProperties}
    >
      {!hasTiles && (
        <FileHeader view={view} total={total} selected={selected} onSelectVisible={onSelectVisible} onSort={onSort} />
      )}
      <div role="rowgroup" className={classes.body} style={{ blockSize: list.height }}>
        {hasTiles
          ? rows.between(list.first, list.last).map((row) =>
              row.kind === 'heading' ? (
                <div
                  key={row.unit}
                  role="row"
                  aria-rowindex={row.number + 1}
                  className={classes.heading}
                  style={{ height: MONTH_HEADING_HEIGHT_PX, transform: `translateY(${list.top(row.unit)}px)` }}
                >
                  <span role="rowheader" aria-colspan={columns}>
                    {monthName(months?.[row.group]?.month)}
                  </span>
                </div>
              ) : (
                <div
                  key={row.unit}
                  role="row"
                  aria-rowindex={row.number + 1}
                  className={classes.tiles}
                  style={{ transform: `translateY(${list.top(row.unit)}px)` }}
                >
                  {range(row.first, row.last).map((index) => (
                    <FileTile key={index} {...itemAt(index)} />
                  ))}
                </div>
              ),
            )
          : range(list.first, list.last).map((index) => (
              <FileRow key={index} {...itemAt(index)} top={list.top(index)} />
            ))}
      </div>
    </div>
  );
}

/** @param month such as `2024-03`; null for pictures without a date */
function monthName(month: string | null | undefined): string {
  return month == null ? texts.noDateTaken : monthOfYear(month);
}
