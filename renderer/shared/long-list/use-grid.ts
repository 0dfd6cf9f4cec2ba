import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { areShortcutsOn, findOpenDialog } from '../keyboard/use-shortcuts.ts';
import type { GridRows } from './grid-rows.ts';
import { useLongList } from './use-long-list.ts';

export interface GridHandle {
  scrollTo: (index: number) => void;
  focus: () => void;
}

/** Indexes of the rendered items (`first`, `last`) and of the visible ones. */
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
  /** @param isRange true to select all items from the last selected item to this one */
  onSelect: (item: Item, index: number, isRange: boolean) => void;
  onSelectVisible: () => void;
  onOpen: (item: Item) => void;
  /** Undefined if items cannot be edited. */
  onEdit?: (item: Item) => void;
  onDelete: (item: Item | undefined) => void;
  onView: (view: ViewRange) => void;
  /** Index of the item that is at the top initially. */
  startAt: number;
  handle: Ref<GridHandle>;
}

export interface GridItem<Item> {
  index: number;
  item: Item | undefined;
  active: boolean;
  selected: boolean;
  onPress: (withShift: boolean) => void;
  onSelect: (withShift: boolean) => void;
}

/** Timeout between `g` and the next key of a shortcut, as in tinykeys. */
const KEY_SEQUENCE_TIMEOUT_MS = 1000;

interface Layout {
  scroller: HTMLElement | null;
  rows: GridRows;
  /** True if the left and right keys do nothing. */
  isSingleColumn: boolean;
  /** In pixels. */
  unitHeight: number;
  /** In pixels. */
  headHeight: number;
  /** Prefix of the ids of rendered items, as in `row-7`. */
  idPrefix: string;
}

/** Handles the keyboard and mouse. Items far from the view are not rendered, so the grid itself has the focus. */
export function useGrid<Item>(
  props: GridProps<Item>,
  { scroller, rows, isSingleColumn, unitHeight, headHeight, idPrefix }: Layout,
) {
  const { total, get, id, selected, onView, startAt, handle } = props;
  const list = useLongList(scroller, rows.unitCount, unitHeight, headHeight);
  const { scrollTo } = list;
  const [active, setActive] = useState(startAt);
  const current = Math.max(0, Math.min(active, total - 1));
  // Memoised rows keep old callbacks, so the callbacks read the current props from a ref.
  const latestProps = useRef(props);
  useLayoutEffect(() => {
    latestProps.current = props;
  });

  const first = rows.firstAt(list.first);
  const last = rows.lastAt(list.last);
  const visibleFirst = rows.firstAt(list.visibleFirst);
  const visibleLast = rows.lastAt(list.visibleLast);
  useEffect(() => onView({ first, last, visibleFirst, visibleLast }), [onView, first, last, visibleFirst, visibleLast]);
  useImperativeHandle(
    handle,
    () => ({
      scrollTo: (index: number) => {
        setActive(index);
        scrollTo(rows.unitOf(index));
      },
      focus: () => scroller?.focus(),
    }),
    [scroller, scrollTo, rows],
  );
  // Scrolls once, after the first layout.
  const start = useRef(startAt);
  useEffect(() => {
    if (scroller === null || start.current === 0) return;
    scrollTo(rows.unitOf(start.current));
    start.current = 0;
  }, [scroller, scrollTo, rows]);

  // Enter on an item that is still loading opens the item once it has loaded.
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
    const unit = rows.unitOf(next);
    scrollTo(unit + rows.unitsPerRow - 1, 'nearest');
    scrollTo(unit, 'nearest');
  };
  const prefixTime = useRef(Number.NEGATIVE_INFINITY);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== scroller || findOpenDialog() !== null) return;
    const isSecondKey = event.timeStamp - prefixTime.current < KEY_SEQUENCE_TIMEOUT_MS;
    prefixTime.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const pageUnits = Math.max(rows.unitsPerRow, list.visibleLast - list.visibleFirst - 1);
    const pageTo = (unit: number) => move(unit >= rows.unitCount ? total - 1 : rows.firstAt(Math.max(0, unit)));
    const item = get(current);
    const moveDown = () => move(rows.below(current));
    const moveUp = () => move(rows.above(current));
    const select = () => item !== undefined && props.onSelect(item, current, event.shiftKey);
    const edit = () => item !== undefined && props.onEdit?.(item);
    const keys: Record<string, () => void> = {
      ArrowDown: moveDown,
      ArrowUp: moveUp,
      PageDown: () => pageTo(rows.unitOf(current) + pageUnits),
      PageUp: () => pageTo(rows.unitOf(current) - pageUnits),
      Home: () => move(0),
      End: () => move(total - 1),
      Enter: () => {
        if (item === undefined) pendingOpen.current = current;
        else props.onOpen(item);
      },
      ' ': select,
      Delete: () => props.onDelete(item),
      ...(areShortcutsOn() ? { j: moveDown, k: moveUp, x: select } : {}),
      ...(areShortcutsOn() && props.onEdit !== undefined && !isSecondKey ? { e: edit } : {}),
      ...(isSingleColumn ? {} : { ArrowRight: () => move(current + 1), ArrowLeft: () => move(current - 1) }),
    };
    const action = keys[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };

  const itemAt = (index: number): GridItem<Item> => {
    const item = get(index);
    const handlePress = (select: boolean, withShift: boolean) => {
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
      onPress: (withShift) => handlePress(withShift, withShift),
      onSelect: (withShift) => handlePress(true, withShift),
    };
  };

  return {
    list,
    itemAt,
    /** Props of the scrolling element. */
    scrollerProps: {
      role: 'grid',
      tabIndex: 0,
      'aria-multiselectable': true,
      'aria-activedescendant': current >= first && current <= last ? `${idPrefix}-${current}` : undefined,
      onKeyDown,
    },
  };
}

/** Returns the integers from `from` to `to`, both included. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}
