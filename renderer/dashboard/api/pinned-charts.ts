import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PinnedChart, PinnedChartsChange } from '../../../server/wire/pinned-charts.ts';
import { call } from '../../shared/api/client.ts';
import { routeQuery } from '../../shared/api/query-client.ts';
import { showProblemToast } from '../../shared/feedback/toasts.tsx';
import { m } from '../../shared/messages/texts.ts';

export type { ChartSettings, PinnedChart, PinnedChartSettings } from '../../../server/wire/pinned-charts.ts';

export const pinnedCharts = routeQuery(['pinned-charts'], 'GET /api/v2.6/owner/pinned-charts', {});

const { queryKey } = pinnedCharts;

/** Updates the cache optimistically and refetches it on error. Several changes are sent in order. */
export function useSavePinnedCharts() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: queryKey,
    scope: { id: 'pinned-charts' },
    mutationFn: (charts: PinnedChartsChange) => call('PUT /api/v2.6/owner/pinned-charts', { body: charts }),
    onMutate: async (charts) => {
      await client.cancelQueries({ queryKey });
      // A chart without an id is new, and is added once the server has assigned its id.
      client.setQueryData(
        queryKey,
        charts.flatMap(({ id, ...chart }): PinnedChart[] => (id === undefined ? [] : [{ id, ...chart }])),
      );
    },
    onSuccess: (savedCharts) => {
      // The response to an earlier change would undo a later change on the page.
      if (client.isMutating({ mutationKey: queryKey }) === 1) client.setQueryData(queryKey, savedCharts);
    },
    onError: async (error) => {
      showProblemToast(m.shell.problem.notDone, error);
      await client.invalidateQueries({ queryKey });
    },
  });
}
