import { queryOptions } from '@tanstack/react-query';
import type { Examples, FirstStep } from '../../server/wire/examples.ts';
import { call } from './client.ts';
import { queryClient } from './queries.ts';

/** Example data, and what the owner waved away. The keys begin with the topic by which the PDA tells of changes. */

export type { Examples, FirstStep } from '../../server/wire/examples.ts';

export const examples = queryOptions({
  queryKey: ['examples', 'data'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/examples', {}, signal),
});

export const wavedSteps = queryOptions({
  queryKey: ['examples', 'waved'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/first-steps', {}, signal),
});

/** It is in nearly every room. */
async function take(now: Examples): Promise<Examples> {
  queryClient.setQueryData(examples.queryKey, now);
  await queryClient.invalidateQueries();
  return now;
}

export async function putExamples(): Promise<Examples> {
  return take(await call('POST /api/v2.6/owner/examples', {}));
}

export async function takeExamples(): Promise<Examples> {
  return take(await call('DELETE /api/v2.6/owner/examples', {}));
}

export async function waveStep(step: FirstStep, waved: boolean): Promise<void> {
  queryClient.setQueryData(
    wavedSteps.queryKey,
    await call('PUT /api/v2.6/owner/first-steps', { body: { step, waved } }),
  );
}
