import { type QueryKey, type UnusedSkipTokenOptions, keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { runWithToast } from '../feedback/toasts.tsx';
import type { GridHandle, ViewRange } from './use-grid.ts';
import { PAGE_SIZE, usePages } from './use-pages.ts';

/** Limit for "select all", which loads the whole list. */
const SELECT_ALL_MAX_ITEMS = 2000;
/** Larger selections need a confirmation, although a deletion can be undone. */
const UNCONFIRMED_DELETION_MAX_ITEMS = 100;

interface ListSource<Item, Query, Page extends { total: number }, Key extends QueryKey> {
  page: (query: Query, skip: number, take: number) => UnusedSkipTokenOptions<Page, Error, Page, Key>;
  items: (page: Page) => readonly Item[];
  id: (item: Item) => string;
  /** Resolves to true if all items were deleted. */
  remove: (items: readonly Item[]) => Promise<boolean>;
}

interface ItemWithNeighbours<Item> {
  item: Item | undefined;
  index: number | undefined;
  previous: Item | undefined;
  next: Item | undefined;
}

export function useList<Item, Query, Page extends { total: number }, Key extends QueryKey>(
  list: ListSource<Item, Query, Page, Key>,
  query: Query,
) {
  // Shows the previous list until the first page of the new one has loaded.
  const firstPage = useQuery({ ...list.page(query, 0, PAGE_SIZE), placeholderData: keepPreviousData });
  const [shownQuery, setShownQuery] = useState(query);
  const isCurrent = firstPage.data !== undefined && !firstPage.isPlaceholderData;
  if (isCurrent && !isSameQuery(shownQuery, query)) setShownQuery(query);
  const total = firstPage.data?.total ?? 0;

  const [view, setView] = useState<ViewRange>({ first: 0, last: 0, visibleFirst: 0, visibleLast: 0 });
  const onView = useCallback((next: ViewRange) => setView(next), []);
  const pages = usePages(
    (skip, take) => list.page(shownQuery, skip, take),
    list.items,
    view.first,
    Math.max(view.first, Math.min(view.last, total - 1)),
  );
  const [selected, setSelected] = useState<ReadonlyMap<string, Item>>(new Map());
  const [isDeleting, setIsDeleting] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const lastSelectedIndex = useRef(0);
  const handle = useRef<GridHandle>(null);

  const byId = (items: readonly Item[]) => new Map(items.map((item) => [list.id(item), item]));
  const clear = () => setSelected(new Map());
  const select = (item: Item, index: number, isRange: boolean) => {
    const next = new Map(selected);
    if (isRange) {
      for (
        let position = Math.min(index, lastSelectedIndex.current);
        position <= Math.max(index, lastSelectedIndex.current);
        position += 1
      ) {
        const itemBetween = pages.get(position);
        if (itemBetween !== undefined) next.set(list.id(itemBetween), itemBetween);
      }
    } else if (!next.delete(list.id(item))) next.set(list.id(item), item);
    lastSelectedIndex.current = index;
    setSelected(next);
  };
  /** Adds the visible items to the selection, or clears it if they are all selected. */
  const selectVisible = () => {
    const visibleItems: Item[] = [];
    for (let index = view.visibleFirst; index <= view.visibleLast; index += 1) {
      const item = pages.get(index);
      if (item !== undefined) visibleItems.push(item);
    }
    if (visibleItems.every((item) => selected.has(list.id(item)))) clear();
    else setSelected(new Map([...selected, ...byId(visibleItems)]));
  };
  const selectAll = async () => {
    setSelected(byId(list.items(await queryClient.fetchQuery(list.page(shownQuery, 0, total)))));
  };
  const remove = async (items: readonly Item[]) => {
    if (items.length === 0 || isDeleting) return;
    setIsDeleting(true);
    if (await list.remove(items)) clear();
    setIsDeleting(false);
    handle.current?.focus();
  };
  const removeSelected = async () => {
    await remove([...selected.values()]);
    setIsConfirming(false);
  };
  /** Removes the selected items, after a confirmation if there are many. */
  const requestRemoval = () => {
    if (selected.size > UNCONFIRMED_DELETION_MAX_ITEMS) setIsConfirming(true);
    else void removeSelected();
  };
  /** Searches the rendered items. All members of the result are undefined if the item is not among them. */
  const findWithNeighbours = (id: string | null): ItemWithNeighbours<Item> => {
    for (let index = view.first; id !== null && index <= view.last; index += 1) {
      const item = pages.get(index);
      if (item !== undefined && list.id(item) === id) {
        return { item, index, previous: pages.get(index - 1), next: pages.get(index + 1) };
      }
    }
    return { item: undefined, index: undefined, previous: undefined, next: undefined };
  };

  return {
    firstPage,
    /** Query of the displayed items: the previous query until the first page of the new one has loaded. */
    shownQuery,
    total,
    pages,
    selected,
    isCurrent,
    findWithNeighbours,
    selection: {
      selectedCount: selected.size,
      total,
      isDeleting,
      isConfirming,
      /** Undefined if everything is selected, or if the list is too long to load. */
      onSelectAll:
        selected.size < total && total <= SELECT_ALL_MAX_ITEMS ? () => void runWithToast(selectAll) : undefined,
      onDelete: requestRemoval,
      onConfirm: removeSelected,
      onCancel: () => setIsConfirming(false),
      onClear: clear,
    },
    grid: {
      handle,
      total,
      get: pages.get,
      id: list.id,
      selected,
      onSelect: select,
      onSelectVisible: selectVisible,
      // The Delete key deletes the selected items if there are any, otherwise the active item.
      onDelete: (item: Item | undefined) => {
        if (selected.size > 0) requestRemoval();
        else if (item !== undefined) void remove([item]);
      },
      onView,
    },
    position: {
      from: view.visibleFirst,
      to: view.visibleLast,
      total,
      scrollTo: (index: number) => handle.current?.scrollTo(index),
    },
  };
}

function isSameQuery(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
