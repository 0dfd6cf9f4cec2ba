import type { Examples, FirstStep } from '../../../../server/wire/examples.ts';
import { call } from '../../../shared/api/client.ts';
import { queryClient, routeQuery } from '../../../shared/api/query-client.ts';

// Example data and dismissed setup steps. Query keys begin with the topic of the PDA's change events.

export type { FirstStep } from '../../../../server/wire/examples.ts';

export const examples = routeQuery(['examples', 'data'], 'GET /api/v2.6/owner/examples', {});

export const dismissedSteps = routeQuery(['examples', 'dismissed'], 'GET /api/v2.6/owner/first-steps', {});

/** Refetches all queries, because example data appears on nearly every page. */
async function cacheExamples(state: Examples): Promise<Examples> {
  queryClient.setQueryData(examples.queryKey, state);
  await queryClient.invalidateQueries();
  return state;
}

export async function addExamples(): Promise<Examples> {
  return cacheExamples(await call('POST /api/v2.6/owner/examples', {}));
}

export async function removeExamples(): Promise<Examples> {
  return cacheExamples(await call('DELETE /api/v2.6/owner/examples', {}));
}

export async function setStepDismissed(step: FirstStep, isDismissed: boolean): Promise<void> {
  queryClient.setQueryData(
    dismissedSteps.queryKey,
    await call('PUT /api/v2.6/owner/first-steps', { body: { step, dismissed: isDismissed } }),
  );
}
