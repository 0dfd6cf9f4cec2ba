import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { refreshAll } from './refresh-all.ts';
import { previewQuery } from './sharing/preview-query.ts';

it('refetches everything except the previews of pages', async () => {
  const client = new QueryClient();
  const preview = previewQuery('share link', 'l1', '/link').queryKey;
  const others = [['records', 'a/b'], ['debits', 'preview', 'lunch'], ['owner']];
  for (const queryKey of [preview, ...others]) client.setQueryData(queryKey, {});
  await refreshAll(client);
  const isInvalidated = (queryKey: readonly unknown[]) => client.getQueryState(queryKey)?.isInvalidated;
  expect(others.map(isInvalidated)).toEqual([true, true, true]);
  expect(isInvalidated(preview)).toBe(false);
});
