import { useMediaQuery } from '@mantine/hooks';
import { useLayoutEffect, useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { type GridProps, range, useGrid } from '../../../../shared/long-list/use-grid.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './file-grid.module.css';
import { COLUMN_COUNT, FileHeader, FileRow } from './file-row.tsx';
import { FileTile } from './file-tile.tsx';
import type { FilesView } from './use-files-view.ts';

const words = m.files.list;

/** Sizes in pixels. */
const ROW_HEIGHT = 52;
const HEAD_HEIGHT = 37;
const PHONE_HEAD_HEIGHT = 41;
const TILE_WIDTH = 168;
const TILE_HEIGHT = 208;
const PHONE_TILE_WIDTH = 140;

interface FileGridProps extends GridProps<OwnerFile> {
  view: FilesView;
  onSort: (sort: FilesView['sort']) => void;
}

/** Returns the number of tiles that fit in a row; 1 in the list view. */
function useTilesPerRow(scroller: HTMLElement | null, tiles: boolean, isPhone: boolean): number {
  const [tilesPerRow, setTilesPerRow] = useState(1);
  useLayoutEffect(() => {
    if (scroller === null || !tiles) return;
    const measure = () =>
      setTilesPerRow(Math.max(2, Math.floor(scroller.clientWidth / (isPhone ? PHONE_TILE_WIDTH : TILE_WIDTH))));
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    measure();
    return () => observer.disconnect();
  }, [scroller, tiles, isPhone]);
  return tiles ? tilesPerRow : 1;
}

/** Virtualised list or tile view of all files. Only visible items are in the DOM. */
export function FileGrid(props: FileGridProps) {
  const { view, total, selected, onSelectVisible, onSort } = props;
  const { tiles } = view;
  const isPhone = useMediaQuery('(max-width: 48em)');
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const columns = useTilesPerRow(scroller, tiles, isPhone);
  const rowHeight = tiles ? TILE_HEIGHT : ROW_HEIGHT;
  const { list, lastIndexOfRow, itemAt, frame } = useGrid(props, {
    scroller,
    columns,
    rowHeight,
    headHeight: tiles ? 0 : isPhone ? PHONE_HEAD_HEIGHT : HEAD_HEIGHT,
    name: 'file',
  });
  const rows = range(list.first, list.last);

  return (
    <div
      ref={setScroller}
      {...frame}
      className={classes.grid}
      aria-label={words.label}
      aria-description={words.keys}
      aria-rowcount={Math.ceil(total / columns) + (tiles ? 0 : 1)}
      aria-colcount={tiles ? columns : COLUMN_COUNT}
      style={{ '--across': columns, '--row-height': `${rowHeight}px` } as React.CSSProperties}
    >
      {!tiles && (
        <FileHeader view={view} total={total} selected={selected} onSelectVisible={onSelectVisible} onSort={onSort} />
      )}
      <div role="rowgroup" className={classes.body} style={{ blockSize: list.height }}>
        {tiles
          ? rows.map((row) => (
              <div
                key={row}
                role="row"
                aria-rowindex={row + 1}
                className={classes.tiles}
                style={{ transform: `translateY(${list.top(row)}px)` }}
              >
                {range(row * columns, lastIndexOfRow(row)).map((index) => (
                  <FileTile key={index} {...itemAt(index)} />
                ))}
              </div>
            ))
          : rows.map((index) => <FileRow key={index} {...itemAt(index)} top={list.top(index)} />)}
      </div>
    </div>
  );
}
