import { useMediaQuery } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import type { OwnerFile } from '../../api/contract.ts';
import { m } from '../../messages/en.ts';
import { useLongList } from '../data/use-long-list.ts';
import { FileHead, FileRow } from './file-row.tsx';
import { FileTile } from './file-tile.tsx';
import classes from './file-grid.module.css';
import type { FilesView } from './use-files-view.ts';

const words = m.files.list;

/** Pixels, as the style sheet has them. */
const ROW = 52;
const HEAD = 37;
const TILE_WIDTH = 168;
const TILE_HEIGHT = 208;
const PHONE_TILE_WIDTH = 140;

export interface GridHandle {
  scrollTo: (index: number) => void;
  focus: () => void;
}

interface FileGridProps {
  view: FilesView;
  total: number;
  get: (index: number) => OwnerFile | undefined;
  chosen: ReadonlyMap<string, OwnerFile>;
  onChoose: (file: OwnerFile, index: number, range: boolean) => void;
  onChooseAll: (() => void) | undefined;
  onOpen: (file: OwnerFile) => void;
  onOrder: (sort: FilesView['sort']) => void;
  onDelete: (file: OwnerFile | undefined) => void;
  /** Files to load, and files really in view. */
  onView: (view: { first: number; last: number; seenFirst: number; seenLast: number }) => void;
  startAt: number;
  handle: React.Ref<GridHandle>;
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
  const { view, total, get, chosen, onView, onOpen, startAt, handle } = props;
  const { tiles } = view;
  const isPhone = useMediaQuery('(max-width: 48em)');
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const across = useAcross(scroller, tiles, isPhone);
  const list = useLongList(scroller, Math.ceil(total / across), tiles ? TILE_HEIGHT : ROW, tiles ? 0 : HEAD);
  const [active, setActive] = useState(startAt);
  const current = Math.max(0, Math.min(active, total - 1));
  const { scrollTo } = list;
  const end = (row: number): number => Math.min(total, (row + 1) * across) - 1;
  const first = list.first * across;
  const last = end(list.last);
  const seenFirst = list.seenFirst * across;
  const seenLast = end(list.seenLast);

  useEffect(() => onView({ first, last, seenFirst, seenLast }), [onView, first, last, seenFirst, seenLast]);
  useImperativeHandle(
    handle,
    () => ({
      scrollTo: (index: number) => {
        setActive(index);
        scrollTo(Math.floor(index / across));
      },
      focus: () => scroller?.focus(),
    }),
    [scroller, scrollTo, across],
  );
  // Where the address says; once, when the list is first laid out.
  const start = useRef(startAt);
  useEffect(() => {
    if (scroller === null || start.current === 0) return;
    scrollTo(Math.floor(start.current / across));
    start.current = 0;
  }, [scroller, scrollTo, across]);

  // Enter on a line that is still on its way opens it when it has come.
  const awaited = useRef<number>(undefined);
  useEffect(() => {
    const arrived = awaited.current === undefined ? undefined : get(awaited.current);
    if (arrived === undefined) return;
    awaited.current = undefined;
    onOpen(arrived);
  });

  const move = (to: number) => {
    awaited.current = undefined;
    const next = Math.max(0, Math.min(total - 1, to));
    setActive(next);
    scrollTo(Math.floor(next / across), 'nearest');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller) return;
    const page = Math.max(1, list.seenLast - list.seenFirst - 1) * across;
    const file = get(current);
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(current + across <= total - 1 ? current + across : current),
      ArrowUp: () => move(current - across >= 0 ? current - across : current),
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(total - 1),
      Enter: () => {
        if (file === undefined) awaited.current = current;
        else onOpen(file);
      },
      ' ': () => file && props.onChoose(file, current, event.shiftKey),
      Delete: () => props.onDelete(file),
      ...(tiles ? { ArrowRight: () => move(current + 1), ArrowLeft: () => move(current - 1) } : {}),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  const itemAt = (index: number) => {
    const file = get(index);
    return {
      index,
      file,
      active: index === current,
      chosen: file !== undefined && chosen.has(file.file.fileId),
      onPress: (range: boolean) => {
        setActive(index);
        if (file !== undefined && range) props.onChoose(file, index, true);
        else if (file !== undefined) onOpen(file);
      },
      onChoose: (range: boolean) => {
        setActive(index);
        if (file !== undefined) props.onChoose(file, index, range);
      },
    };
  };
  const rows = range(list.first, list.last);

  return (
    <div
      ref={setScroller}
      className={classes.grid}
      role="grid"
      tabIndex={0}
      data-tiles={tiles || undefined}
      aria-label={words.label}
      aria-description={words.keys}
      aria-rowcount={Math.ceil(total / across) + (tiles ? 0 : 1)}
      aria-colcount={tiles ? across : COLUMNS}
      aria-multiselectable="true"
      aria-activedescendant={current >= first && current <= last ? `file-${current}` : undefined}
      onKeyDown={onKeyDown}
      style={{ '--across': across } as React.CSSProperties}
    >
      {!tiles && <FileHead view={view} total={total} chosen={chosen.size} {...headOf(props)} />}
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

const COLUMNS = 6;

function headOf({ onChooseAll, onOrder }: FileGridProps) {
  return { onChooseAll, onOrder };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}
