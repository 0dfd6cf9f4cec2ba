import { describe, expect, it } from 'vitest';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { guestPreviewRoutes } from './preview-routes.ts';

/** Returns the response to a request for a preview if the page of the guest has this status. */
const previewWith = async (status: number): Promise<RouteResponse> => {
  const [{ handler }] = guestPreviewRoutes({
    users: { find: (userId: string) => ({ userId, name: 'Grace', enabled: true }) },
    filePages: { list: () => Promise.resolve({ status, text: '<p>page</p>' }) },
  } as unknown as Parameters<typeof guestPreviewRoutes>[0]);
  const input = { params: { userId: 'g' }, query: { path: '/guest' }, headers: {}, caller: { principal: {} } };
  return handler(input as never);
};

describe("a preview of a guest's page", () => {
  it('shows the page, even if it says that the content is not shared', async () => {
    for (const status of [200, 404])
      expect(await previewWith(status)).toEqual({ status: 200, json: { html: '<p>page</p>' } });
  });

  it('is refused if the page has the status 429', async () => {
    await expect(previewWith(429)).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'retry-after': '2' },
    });
  });
});
