import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OwnerFile } from '../../api/contract.ts';
import type { FileSelection } from '../../api/file-selection.ts';
import { filePage } from '../../api/files.ts';

/** Files that one request brings. */
export const PAGE = 100;
/** Milliseconds. While the bar is dragged over hundreds of pages, only the one it rests on is asked for. */
const REST = 90;

interface FilePages {
  get: (index: number) => OwnerFile | undefined;
  error: Error | null;
  retry: () => void;
}

/** The loaded files around those in view. */
export function useFilePages(selection: FileSelection, first: number, last: number): FilePages {
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
    queries: numbers.map((page) => filePage(selection, page * PAGE, PAGE)),
    combine: (results) => {
      const byPage = new Map(numbers.map((page, at) => [page, results[at]?.data?.files]));
      const failed = results.find((result) => result.isError);
      return {
        get: (index: number) => byPage.get(Math.floor(index / PAGE))?.[index % PAGE],
        error: failed?.error ?? null,
        retry: () => void failed?.refetch(),
      };
    },
  });
}
