import { type QueryKey, type UnusedSkipTokenOptions, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Items that one request brings. */
export const PAGE = 100;
/** Milliseconds. While the bar is dragged over thousands of pages, only the one it rests on is asked for. */
const REST = 90;

interface Pages<Item> {
  get: (index: number) => Item | undefined;
  error: Error | null;
  retry: () => void;
}

/** The loaded items around those in view. */
export function usePages<Item, Page, Key extends QueryKey>(
  page: (skip: number, take: number) => UnusedSkipTokenOptions<Page, Error, Page, Key>,
  items: (page: Page) => readonly Item[],
  first: number,
  last: number,
): Pages<Item> {
  const from = Math.floor(first / PAGE);
  const to = Math.floor(last / PAGE);
  const [wanted, setWanted] = useState({ from, to });
  const near = from <= wanted.to + 1 && to >= wanted.from - 1;
  if (near && (from !== wanted.from || to !== wanted.to)) setWanted({ from, to });
  useEffect(() => {
    if (near) return;
    const timer = setTimeout(() => setWanted({ from, to }), REST);
    return () => clearTimeout(timer);
  }, [near, from, to]);

  const numbers = Array.from({ length: wanted.to - wanted.from + 1 }, (_, at) => wanted.from + at);
  return useQueries({
    queries: numbers.map((number) => page(number * PAGE, PAGE)),
    combine: (results) => {
      const byPage = new Map(
        numbers.map((number, at) => {
          const found = results[at]?.data;
          return [number, found === undefined ? undefined : items(found)];
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
