import { QueryClient, QueryClientProvider, type UnusedSkipTokenOptions, queryOptions } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { usePages } from './use-pages.ts';

it('retry loads all pages that failed, and no other', async () => {
  const requestedPages: number[] = [];
  let isFailing = true;
  const page = (skip: number, take: number): UnusedSkipTokenOptions<number[], Error, number[], [string, number]> =>
    queryOptions({
      queryKey: ['page', skip],
      queryFn: () => {
        requestedPages.push(skip / take);
        if (isFailing && skip > 0) throw new Error('offline');
        return [skip];
      },
    });
  // Rendering must not fetch the pages again.
  const queries = { retry: false, retryOnMount: false, staleTime: Number.POSITIVE_INFINITY };
  const client = new QueryClient({ defaultOptions: { queries } });
  const onPages = vi.fn<(pages: ReturnType<typeof usePages<number, number[], [string, number]>>) => void>();
  const List = () => {
    onPages(usePages(page, (items) => items, 0, 29, 10));
    return null;
  };
  await Promise.all([0, 10, 20].map((skip) => client.prefetchQuery(page(skip, 10))));
  renderToString(createElement(QueryClientProvider, { client }, createElement(List)));
  const pages = onPages.mock.lastCall?.[0];
  expect(pages?.error?.message).toBe('offline');
  requestedPages.length = 0;
  isFailing = false;
  pages?.retry();
  await expect.poll(() => client.isFetching()).toBe(0);
  expect(requestedPages).toStrictEqual([1, 2]);
});
