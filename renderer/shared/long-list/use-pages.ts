import { type QueryKey, type UnusedSkipTokenOptions, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Items per page. */
export const PAGE = 100;
/** Milliseconds without scrolling before distant pages are loaded, so that dragging the scroll bar skips those passed over. */
const DEBOUNCE_MS = 90;

interface Pages<Item> {
  get: (index: number) => Item | undefined;
  error: Error | null;
  retry: () => void;
}

/** Loads the pages around the items in view. */
export function usePages<Item, Page, Key extends QueryKey>(
  page: (skip: number, take: number) => UnusedSkipTokenOptions<Page, Error, Page, Key>,
  items: (page: Page) => readonly Item[],
  first: number,
  last: number,
): Pages<Item> {
  const from = Math.floor(first / PAGE);
  const to = Math.floor(last / PAGE);
  const [requested, setRequested] = useState({ from, to });
  const isNear = from <= requested.to + 1 && to >= requested.from - 1;
  if (isNear && (from !== requested.from || to !== requested.to)) setRequested({ from, to });
  useEffect(() => {
    if (isNear) return;
    const timer = setTimeout(() => setRequested({ from, to }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [isNear, from, to]);

  const numbers = Array.from({ length: requested.to - requested.from + 1 }, (_, index) => requested.from + index);
  return useQueries({
    queries: numbers.map((number) => page(number * PAGE, PAGE)),
    combine: (results) => {
      const byPage = new Map(
        numbers.map((number, index) => {
          const data = results[index]?.data;
          return [number, data === undefined ? undefined : items(data)];
        }),
      );
      const failed = results.find((result) => result.isError);
      return {
        get: (index: number) => byPage.get(Math.floor(index / PAGE))?.[index % PAGE],
        error: failed?.error ?? null,
        retry: () => void failed?.refetch(),
      };
    },
  });
}
