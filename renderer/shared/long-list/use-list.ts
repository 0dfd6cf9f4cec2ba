import { type QueryKey, type UnusedSkipTokenOptions, keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import type { GridHandle, ViewRange } from './use-grid.ts';
import { PAGE, usePages } from './use-pages.ts';

/** Largest list that can be selected as a whole, which requires loading all of it. */
const SELECT_ALL_MAX_ITEMS = 2000;
/** Number of items that are deleted without confirmation, as the deletion can be undone. */
const CONFIRM_DELETION_ABOVE = 100;

/** Source of the items of a list. */
interface ListSource<Item, Selection, Page extends { total: number }, Key extends QueryKey> {
  page: (selection: Selection, skip: number, take: number) => UnusedSkipTokenOptions<Page, Error, Page, Key>;
  items: (page: Page) => readonly Item[];
  id: (item: Item) => string;
  /** Deletes items. Resolves to true if all of them were deleted. */
  remove: (items: readonly Item[]) => Promise<boolean>;
}

interface ItemWithNeighbours<Item> {
  item: Item | undefined;
  before: Item | undefined;
  after: Item | undefined;
}

/** State of a virtual list: loads the visible part and tracks the selection. */
export function useList<Item, Selection, Page extends { total: number }, Key extends QueryKey>(
  list: ListSource<Item, Selection, Page, Key>,
  requested: Selection,
) {
  // Shows the previous list until the first page of the new one has loaded.
  const first = useQuery({ ...list.page(requested, 0, PAGE), placeholderData: keepPreviousData });
  const [shown, setShown] = useState(requested);
  const isCurrent = first.data !== undefined && !first.isPlaceholderData;
  if (isCurrent && !isSameSelection(shown, requested)) setShown(requested);
  const total = first.data?.total ?? 0;

  const [view, setView] = useState<ViewRange>({ first: 0, last: 0, seenFirst: 0, seenLast: 0 });
  const onView = useCallback((next: ViewRange) => setView(next), []);
  const pages = usePages(
    (skip, take) => list.page(shown, skip, take),
    list.items,
    view.first,
    Math.max(view.first, Math.min(view.last, total - 1)),
  );
  const [selected, setSelected] = useState<ReadonlyMap<string, Item>>(new Map());
  const [deleting, setDeleting] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const lastSelected = useRef(0);
  const handle = useRef<GridHandle>(null);

  const byId = (items: readonly Item[]) => new Map(items.map((item) => [list.id(item), item]));
  const clear = () => setSelected(new Map());
  const select = (item: Item, index: number, range: boolean) => {
    const next = new Map(selected);
    if (range) {
      for (
        let between = Math.min(index, lastSelected.current);
        between <= Math.max(index, lastSelected.current);
        between += 1
      ) {
        const itemBetween = pages.get(between);
        if (itemBetween !== undefined) next.set(list.id(itemBetween), itemBetween);
      }
    } else if (!next.delete(list.id(item))) next.set(list.id(item), item);
    lastSelected.current = index;
    setSelected(next);
  };
  /** Selects the items in view, or clears the selection when all of them are selected. */
  const selectVisible = () => {
    const inView: Item[] = [];
    for (let index = view.seenFirst; index <= view.seenLast; index += 1) {
      const item = pages.get(index);
      if (item !== undefined) inView.push(item);
    }
    if (inView.every((item) => selected.has(list.id(item)))) clear();
    else setSelected(new Map([...selected, ...byId(inView)]));
  };
  const selectAll = async () => {
    setSelected(byId(list.items(await queryClient.fetchQuery(list.page(shown, 0, total)))));
  };
  const remove = async (items: readonly Item[]) => {
    if (items.length === 0 || deleting) return;
    setDeleting(true);
    if (await list.remove(items)) clear();
    setDeleting(false);
    handle.current?.focus();
  };
  const confirmRemoval = async () => {
    await remove([...selected.values()]);
    setIsAsking(false);
  };
  const removeSelected = () => {
    if (selected.size > CONFIRM_DELETION_ABOVE) setIsAsking(true);
    else void confirmRemoval();
  };
  /** Returns an item and its neighbours, if they are loaded. */
  const around = (id: string | null): ItemWithNeighbours<Item> => {
    for (let index = view.first; id !== null && index <= view.last; index += 1) {
      const item = pages.get(index);
      if (item !== undefined && list.id(item) === id) {
        return { item, before: pages.get(index - 1), after: pages.get(index + 1) };
      }
    }
    return { item: undefined, before: undefined, after: undefined };
  };

  return {
    first,
    shown,
    total,
    pages,
    selected,
    isCurrent,
    around,
    /** Properties of the selection bar. */
    selection: {
      selectedCount: selected.size,
      total,
      deleting,
      isAsking,
      /** Undefined if everything is selected, or if the list is too long to load. */
      onSelectAll: selected.size < total && total <= SELECT_ALL_MAX_ITEMS ? () => void selectAll() : undefined,
      onDelete: removeSelected,
      onConfirm: confirmRemoval,
      onCancel: () => setIsAsking(false),
      onClear: clear,
    },
    /** Properties of the grid. */
    grid: {
      handle,
      total,
      get: pages.get,
      id: list.id,
      selected,
      onSelect: select,
      onSelectVisible: selectVisible,
      // With a selection, the key deletes the selection rather than the active item.
      onDelete: (item: Item | undefined) => {
        if (selected.size > 0) removeSelected();
        else if (item !== undefined) void remove([item]);
      },
      onView,
    },
    /** Properties of the position below the grid. */
    position: {
      from: view.seenFirst,
      to: view.seenLast,
      total,
      go: (index: number) => handle.current?.scrollTo(index),
    },
  };
}

function isSameSelection(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
