import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { useLongList } from './use-long-list.ts';

export interface GridHandle {
  scrollTo: (index: number) => void;
  focus: () => void;
}

/** Items to load, and items really in view. */
export interface Seen {
  first: number;
  last: number;
  seenFirst: number;
  seenLast: number;
}

export interface GridProps<Item> {
  total: number;
  get: (index: number) => Item | undefined;
  id: (item: Item) => string;
  chosen: ReadonlyMap<string, Item>;
  onChoose: (item: Item, index: number, range: boolean) => void;
  onChooseShown: () => void;
  onOpen: (item: Item) => void;
  onDelete: (item: Item | undefined) => void;
  onView: (seen: Seen) => void;
  startAt: number;
  handle: Ref<GridHandle>;
}

/** One item as its grid shows it. */
export interface GridItem<Item> {
  index: number;
  item: Item | undefined;
  active: boolean;
  chosen: boolean;
  onPress: (range: boolean) => void;
  onChoose: (range: boolean) => void;
}

interface Layout {
  scroller: HTMLElement | null;
  /** Items side by side; with one, there is no way to the left and right. */
  across: number;
  /** Pixels. */
  rowHeight: number;
  head: number;
  /** Before the index of an item, for its id in the page. */
  name: string;
}

/** The walk over a grid by keys and presses: only what is in view exists, and the grid itself has the focus. */
export function useGrid<Item>(props: GridProps<Item>, { scroller, across, rowHeight, head, name }: Layout) {
  const { total, get, id, chosen, onView, startAt, handle } = props;
  const list = useLongList(scroller, Math.ceil(total / across), rowHeight, head);
  const { scrollTo } = list;
  const [active, setActive] = useState(startAt);
  const current = Math.max(0, Math.min(active, total - 1));
  // Rows may be drawn once and kept; what they call must still be what the page wants now.
  const now = useRef(props);
  useLayoutEffect(() => {
    now.current = props;
  });

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
    now.current.onOpen(arrived);
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
    const item = get(current);
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(current + across <= total - 1 ? current + across : current),
      ArrowUp: () => move(current - across >= 0 ? current - across : current),
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(total - 1),
      Enter: () => {
        if (item === undefined) awaited.current = current;
        else props.onOpen(item);
      },
      ' ': () => item !== undefined && props.onChoose(item, current, event.shiftKey),
      Delete: () => props.onDelete(item),
      ...(across > 1 ? { ArrowRight: () => move(current + 1), ArrowLeft: () => move(current - 1) } : {}),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  const itemAt = (index: number): GridItem<Item> => {
    const item = get(index);
    const act = (choose: boolean, withShift: boolean) => {
      setActive(index);
      if (item === undefined) return;
      if (choose) now.current.onChoose(item, index, withShift);
      else now.current.onOpen(item);
    };
    return {
      index,
      item,
      active: index === current,
      chosen: item !== undefined && chosen.has(id(item)),
      onPress: (withShift) => act(withShift, withShift),
      onChoose: (withShift) => act(true, withShift),
    };
  };

  return {
    list,
    end,
    itemAt,
    /** For the element that scrolls. */
    frame: {
      role: 'grid',
      tabIndex: 0,
      'aria-multiselectable': true,
      'aria-activedescendant': current >= first && current <= last ? `${name}-${current}` : undefined,
      onKeyDown,
    },
  };
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}
