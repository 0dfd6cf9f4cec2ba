import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { CONTENT_URL_MS } from '../../../../server/wire/limits.ts';
import { isRefreshedOnConnect, previewQuery } from './preview-query.ts';

const PAGE = { html: '<h1>First</h1>' };
/** The expiry of signed URLs is rounded down to a minute, so that browsers can cache the files. */
const ROUNDING_MS = 60_000;

describe('the preview of a page', () => {
  const { queryKey, placeholderData, refetchInterval } = previewQuery('guest', 'grace', '/guest');

  it('stays while another page of the same guest is loading, but not while a page of another guest is', () => {
    expect(placeholderData(PAGE, previewQuery('guest', 'grace', '/guest/files/f'))).toBe(PAGE);
    expect(placeholderData(PAGE, previewQuery('guest', 'alan', '/guest'))).toBeUndefined();
    expect(placeholderData(undefined, undefined)).toBeUndefined();
  });

  it('is requested again before its URLs expire', () => {
    expect(refetchInterval).toBeLessThanOrEqual(CONTENT_URL_MS - ROUNDING_MS);
  });

  it.each(['files', 'debits', 'ledger', 'endpoints'])('is not refreshed by changes of %s', async (topic) => {
    const client = new QueryClient();
    client.setQueryData(queryKey, PAGE);
    await client.invalidateQueries({ queryKey: [topic] });
    expect(client.getQueryState(queryKey)?.isInvalidated).toBe(false);
  });

  it('is not refreshed when the event stream opens, unlike other queries', async () => {
    const client = new QueryClient();
    const otherKeys = [['records', 'a/b'], ['debits', 'preview', 'lunch'], ['owner']];
    for (const key of [queryKey, ...otherKeys]) client.setQueryData(key, PAGE);
    await client.invalidateQueries({ predicate: isRefreshedOnConnect });
    expect(client.getQueryState(queryKey)?.isInvalidated).toBe(false);
    for (const key of otherKeys) expect(client.getQueryState(key)?.isInvalidated).toBe(true);
  });
});
