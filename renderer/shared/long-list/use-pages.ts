import { type QueryKey, type UnusedSkipTokenOptions, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

export const PAGE_SIZE = 100;
/** Delay after scrolling before distant pages load, so that dragging the scroll bar skips the pages in between. */
const DEBOUNCE_MS = 90;

interface Pages<Item> {
  get: (index: number) => Item | undefined;
  error: Error | null;
  retry: () => void;
}

/** Loads the pages with the items from `first` to `last`. @param pageSize items per page */
export function usePages<Item, Page, Key extends QueryKey>(
  page: (skip: number, take: number) => UnusedSkipTokenOptions<Page, Error, Page, Key>,
  items: (page: Page) => readonly Item[],
  first: number,
  last: number,
  pageSize = PAGE_SIZE,
): Pages<Item> {
  const from = Math.floor(first / pageSize);
  const to = Math.floor(last / pageSize);
  const [requestedRange, setRequestedRange] = useState({ from, to });
  const isNear = from <= requestedRange.to + 1 && to >= requestedRange.from - 1;
  if (isNear && (from !== requestedRange.from || to !== requestedRange.to)) setRequestedRange({ from, to });
  useEffect(() => {
    if (isNear) return;
    const timer = setTimeout(() => setRequestedRange({ from, to }), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [isNear, from, to]);

  const pageNumbers = Array.from(
    { length: requestedRange.to - requestedRange.from + 1 },
    (_, index) => requestedRange.from + index,
  );
  return useQueries({
    queries: pageNumbers.map((number) => page(number * pageSize, pageSize)),
    combine: (results) => {
      const byPage = new Map(
        pageNumbers.map((number, index) => {
          const loadedPage = results[index]?.data;
          return [number, loadedPage === undefined ? undefined : items(loadedPage)];
        }),
      );
      const failedPages = results.filter((result) => result.isError);
      return {
        get: (index: number) => byPage.get(Math.floor(index / pageSize))?.[index % pageSize],
        error: failedPages[0]?.error ?? null,
        retry: () => {
          for (const failedPage of failedPages) void failedPage.refetch();
        },
      };
    },
  });
}
