import { type QueryKey, type UnusedSkipTokenOptions, keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import type { GridHandle, Seen } from './use-grid.ts';
import { PAGE, usePages } from './use-pages.ts';

/** Choosing all of them means loading all of them. */
const CHOOSE_ALL_UP_TO = 2000;
/** Items that are deleted without a question: as many as one sees and can undo. */
const CONFIRM_DELETION_ABOVE = 100;

/** How one kind of thing is asked for. */
interface ListOf<Item, Selection, Page extends { total: number }, Key extends QueryKey> {
  page: (selection: Selection, skip: number, take: number) => UnusedSkipTokenOptions<Page, Error, Page, Key>;
  items: (page: Page) => readonly Item[];
  id: (item: Item) => string;
  /** True when all of them are deleted. */
  remove: (items: readonly Item[]) => Promise<boolean>;
}

interface Around<Item> {
  known: Item | undefined;
  before: Item | undefined;
  after: Item | undefined;
}

/** A list of which only the part in view is loaded, and what of it is chosen. */
export function useList<Item, Selection, Page extends { total: number }, Key extends QueryKey>(
  list: ListOf<Item, Selection, Page, Key>,
  wanted: Selection,
) {
  // What was asked for is shown when its first page is here; until then the old one stays.
  const first = useQuery({ ...list.page(wanted, 0, PAGE), placeholderData: keepPreviousData });
  const [shown, setShown] = useState(wanted);
  const isCurrent = first.data !== undefined && !first.isPlaceholderData;
  if (isCurrent && !same(shown, wanted)) setShown(wanted);
  const total = first.data?.total ?? 0;

  const [seen, setSeen] = useState<Seen>({ first: 0, last: 0, seenFirst: 0, seenLast: 0 });
  const onView = useCallback((next: Seen) => setSeen(next), []);
  const pages = usePages(
    (skip, take) => list.page(shown, skip, take),
    list.items,
    seen.first,
    Math.max(seen.first, Math.min(seen.last, total - 1)),
  );
  const [chosen, setChosen] = useState<ReadonlyMap<string, Item>>(new Map());
  const [deleting, setDeleting] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const lastChosen = useRef(0);
  const handle = useRef<GridHandle>(null);

  const byId = (items: readonly Item[]) => new Map(items.map((item) => [list.id(item), item]));
  const clear = () => setChosen(new Map());
  const choose = (item: Item, index: number, range: boolean) => {
    const next = new Map(chosen);
    if (range) {
      for (let at = Math.min(index, lastChosen.current); at <= Math.max(index, lastChosen.current); at += 1) {
        const between = pages.get(at);
        if (between !== undefined) next.set(list.id(between), between);
      }
    } else if (!next.delete(list.id(item))) next.set(list.id(item), item);
    lastChosen.current = index;
    setChosen(next);
  };
  /** Selects the items in view, or clears the selection when all of them are selected. */
  const chooseShown = () => {
    const inView: Item[] = [];
    for (let at = seen.seenFirst; at <= seen.seenLast; at += 1) {
      const item = pages.get(at);
      if (item !== undefined) inView.push(item);
    }
    if (inView.every((item) => chosen.has(list.id(item)))) clear();
    else setChosen(new Map([...chosen, ...byId(inView)]));
  };
  const chooseAll = async () => {
    setChosen(byId(list.items(await queryClient.fetchQuery(list.page(shown, 0, total)))));
  };
  const remove = async (items: readonly Item[]) => {
    if (items.length === 0 || deleting) return;
    setDeleting(true);
    if (await list.remove(items)) clear();
    setDeleting(false);
    handle.current?.focus();
  };
  const confirmRemoval = async () => {
    await remove([...chosen.values()]);
    setIsAsking(false);
  };
  const removeChosen = () => {
    if (chosen.size > CONFIRM_DELETION_ABOVE) setIsAsking(true);
    else void confirmRemoval();
  };
  /** The item of this id and its neighbours, as far as they are loaded. */
  const around = (id: string | null): Around<Item> => {
    for (let index = seen.first; id !== null && index <= seen.last; index += 1) {
      const known = pages.get(index);
      if (known !== undefined && list.id(known) === id) {
        return { known, before: pages.get(index - 1), after: pages.get(index + 1) };
      }
    }
    return { known: undefined, before: undefined, after: undefined };
  };

  return {
    first,
    shown,
    total,
    pages,
    chosen,
    isCurrent,
    around,
    /** What the bar about the selection needs of it. */
    selection: {
      chosen: chosen.size,
      total,
      deleting,
      isAsking,
      /** None where everything is selected, or where all would be too many to load. */
      onChooseAll: chosen.size < total && total <= CHOOSE_ALL_UP_TO ? () => void chooseAll() : undefined,
      onDelete: removeChosen,
      onConfirm: confirmRemoval,
      onCancel: () => setIsAsking(false),
      onClear: clear,
    },
    /** What its grid needs of it. */
    grid: {
      handle,
      total,
      get: pages.get,
      id: list.id,
      chosen,
      onChoose: choose,
      onChooseShown: chooseShown,
      // With a choice made, the key deletes that, wherever in the grid one is.
      onDelete: (item: Item | undefined) => {
        if (chosen.size > 0) removeChosen();
        else if (item !== undefined) void remove([item]);
      },
      onView,
    },
    /** What the line below the grid needs of it. */
    position: {
      from: seen.seenFirst,
      to: seen.seenLast,
      total,
      go: (index: number) => handle.current?.scrollTo(index),
    },
  };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
