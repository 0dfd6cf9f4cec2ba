import { useMediaQuery } from '@mantine/hooks';
import { useLayoutEffect, useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { type GridProps, range, useGrid } from '../../../../shared/long-list/use-grid.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './file-grid.module.css';
import { COLUMNS, FileHead, FileRow } from './file-row.tsx';
import { FileTile } from './file-tile.tsx';
import type { FilesView } from './use-files-view.ts';

const words = m.files.list;

/** Pixels. */
const ROW = 52;
const HEAD = 37;
const PHONE_HEAD = 41;
const TILE_WIDTH = 168;
const TILE_HEIGHT = 208;
const PHONE_TILE_WIDTH = 140;

interface FileGridProps extends GridProps<OwnerFile> {
  view: FilesView;
  onOrder: (sort: FilesView['sort']) => void;
}

/** Pictures side by side: as many as fit. */
function useAcross(scroller: HTMLElement | null, tiles: boolean, isPhone: boolean): number {
  const [across, setAcross] = useState(1);
  useLayoutEffect(() => {
    if (scroller === null || !tiles) return;
    const measure = () =>
      setAcross(Math.max(2, Math.floor(scroller.clientWidth / (isPhone ? PHONE_TILE_WIDTH : TILE_WIDTH))));
    const resized = new ResizeObserver(measure);
    resized.observe(scroller);
    measure();
    return () => resized.disconnect();
  }, [scroller, tiles, isPhone]);
  return tiles ? across : 1;
}

/** Files, as many as there are: only those in view exist. One to a line, or side by side as pictures. */
export function FileGrid(props: FileGridProps) {
  const { view, total, chosen, onChooseShown, onOrder } = props;
  const { tiles } = view;
  const isPhone = useMediaQuery('(max-width: 48em)');
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const across = useAcross(scroller, tiles, isPhone);
  const rowHeight = tiles ? TILE_HEIGHT : ROW;
  const { list, end, itemAt, frame } = useGrid(props, {
    scroller,
    across,
    rowHeight,
    head: tiles ? 0 : isPhone ? PHONE_HEAD : HEAD,
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
      aria-rowcount={Math.ceil(total / across) + (tiles ? 0 : 1)}
      aria-colcount={tiles ? across : COLUMNS}
      style={{ '--across': across, '--row-height': `${rowHeight}px` } as React.CSSProperties}
    >
      {!tiles && <FileHead view={view} total={total} chosen={chosen} onChooseShown={onChooseShown} onOrder={onOrder} />}
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
                {range(row * across, end(row)).map((index) => (
                  <FileTile key={index} {...itemAt(index)} />
                ))}
              </div>
            ))
          : rows.map((index) => <FileRow key={index} {...itemAt(index)} top={list.top(index)} />)}
      </div>
    </div>
  );
}
