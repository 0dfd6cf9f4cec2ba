import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { areShortcutsOn, openDialog } from '../keyboard/use-shortcuts.ts';
import { useLongList } from './use-long-list.ts';

export interface GridHandle {
  scrollTo: (index: number) => void;
  focus: () => void;
}

/** Indexes of the items to render (`first`, `last`) and of the items in view. */
export interface ViewRange {
  first: number;
  last: number;
  visibleFirst: number;
  visibleLast: number;
}

export interface GridProps<Item> {
  total: number;
  get: (index: number) => Item | undefined;
  id: (item: Item) => string;
  selected: ReadonlyMap<string, Item>;
  onSelect: (item: Item, index: number, range: boolean) => void;
  onSelectVisible: () => void;
  onOpen: (item: Item) => void;
  onDelete: (item: Item | undefined) => void;
  onView: (view: ViewRange) => void;
  startAt: number;
  handle: Ref<GridHandle>;
}

/** State of one item in its grid. */
export interface GridItem<Item> {
  index: number;
  item: Item | undefined;
  active: boolean;
  selected: boolean;
  onPress: (range: boolean) => void;
  onSelect: (range: boolean) => void;
}

interface Layout {
  scroller: HTMLElement | null;
  /** With a single column, the left and right keys do nothing. */
  columns: number;
  /** Pixels. */
  rowHeight: number;
  /** Pixels of the header row. */
  headHeight: number;
  /** Prefix of the items' element ids. */
  name: string;
}

/**
 * Keyboard and mouse navigation of a virtualised grid. Only visible items are rendered, so the grid itself has
 * the focus.
 */
export function useGrid<Item>(props: GridProps<Item>, { scroller, columns, rowHeight, headHeight, name }: Layout) {
  const { total, get, id, selected, onView, startAt, handle } = props;
  const list = useLongList(scroller, Math.ceil(total / columns), rowHeight, headHeight);
  const { scrollTo } = list;
  const [active, setActive] = useState(startAt);
  const current = Math.max(0, Math.min(active, total - 1));
  // Memoised rows keep old callbacks, so these read the current props from a ref.
  const latestProps = useRef(props);
  useLayoutEffect(() => {
    latestProps.current = props;
  });

  const lastIndexOfRow = (row: number): number => Math.min(total, (row + 1) * columns) - 1;
  const first = list.first * columns;
  const last = lastIndexOfRow(list.last);
  const visibleFirst = list.visibleFirst * columns;
  const visibleLast = lastIndexOfRow(list.visibleLast);
  useEffect(() => onView({ first, last, visibleFirst, visibleLast }), [onView, first, last, visibleFirst, visibleLast]);
  useImperativeHandle(
    handle,
    () => ({
      scrollTo: (index: number) => {
        setActive(index);
        scrollTo(Math.floor(index / columns));
      },
      focus: () => scroller?.focus(),
    }),
    [scroller, scrollTo, columns],
  );
  // Scrolls to the position in the URL once, after the first layout.
  const start = useRef(startAt);
  useEffect(() => {
    if (scroller === null || start.current === 0) return;
    scrollTo(Math.floor(start.current / columns));
    start.current = 0;
  }, [scroller, scrollTo, columns]);

  // Enter on an item that is still loading opens it once it has loaded.
  const pendingOpen = useRef<number>(undefined);
  useEffect(() => {
    const loadedItem = pendingOpen.current === undefined ? undefined : get(pendingOpen.current);
    if (loadedItem === undefined) return;
    pendingOpen.current = undefined;
    latestProps.current.onOpen(loadedItem);
  });

  const move = (to: number) => {
    pendingOpen.current = undefined;
    const next = Math.max(0, Math.min(total - 1, to));
    setActive(next);
    scrollTo(Math.floor(next / columns), 'nearest');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller || openDialog() !== null) return;
    const page = Math.max(1, list.visibleLast - list.visibleFirst - 1) * columns;
    const item = get(current);
    const down = () => move(current + columns <= total - 1 ? current + columns : current);
    const up = () => move(current - columns >= 0 ? current - columns : current);
    const select = () => item !== undefined && props.onSelect(item, current, event.shiftKey);
    const keys: Record<string, () => void> = {
      ArrowDown: down,
      ArrowUp: up,
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(total - 1),
      Enter: () => {
        if (item === undefined) pendingOpen.current = current;
        else props.onOpen(item);
      },
      ' ': select,
      Delete: () => props.onDelete(item),
      ...(areShortcutsOn() ? { j: down, k: up, x: select } : {}),
      ...(columns > 1 ? { ArrowRight: () => move(current + 1), ArrowLeft: () => move(current - 1) } : {}),
    };
    const action = keys[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };

  const itemAt = (index: number): GridItem<Item> => {
    const item = get(index);
    const action = (select: boolean, withShift: boolean) => {
      setActive(index);
      if (item === undefined) return;
      if (select) latestProps.current.onSelect(item, index, withShift);
      else latestProps.current.onOpen(item);
    };
    return {
      index,
      item,
      active: index === current,
      selected: item !== undefined && selected.has(id(item)),
      onPress: (withShift) => action(withShift, withShift),
      onSelect: (withShift) => action(true, withShift),
    };
  };

  return {
    list,
    lastIndexOfRow,
    itemAt,
    /** Properties of the scrolling element. */
    frame: {
      role: 'grid',
      tabIndex: 0,
      'aria-multiselectable': true,
      'aria-activedescendant': current >= first && current <= last ? `${name}-${current}` : undefined,
      onKeyDown,
    },
  };
}

/** Returns the integers from `from` to `to`, both included. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
