import { expect } from 'vitest';
import type { ChartSettings } from '../../server/wire/pinned-charts.ts';
import {
  sharedViewSchema,
  sharedViewsSchema,
  type SharedDefinition,
  type SharedView,
} from '../../server/wire/shared-views.ts';
import type { Reply } from './http.ts';
import type { TestPda } from './test-pda.ts';

export const SHARED_VIEWS = '/api/v2.6/owner/shared-views';

type TableOptions = Partial<Extract<SharedDefinition, { kind: 'table' }>['selection']>;

export const tableOf = (paths: readonly string[], selection: TableOptions = {}): SharedDefinition => ({
  kind: 'table',
  selection: { search: '', filters: [], sorts: [], oldestFirst: true, ...selection },
  columns: paths.map((path, index) => ({ path, name: path === '' ? 'Value' : `${path} ${index + 1}` })),
});
export const chartOf = (chart: ChartSettings): SharedDefinition => ({ kind: 'chart', chart });

export const pathOf = ({ sharedViewId, definition }: SharedView): string =>
  `/guest/${definition.kind}s/${sharedViewId}`;

/** Returns the cell texts of a page's last table, row by row, without its header. */
export const cellsIn = ({ text }: Reply): string[][] =>
  [...text.slice(text.lastIndexOf('<table')).matchAll(/<tr>(?<row>.*?)<\/tr>/gu)]
    .map(({ groups }) =>
      [...(groups?.['row'] ?? '').matchAll(/<t[dh][^>]*>(?<cell>.*?)<\/t[dh]>/gu)].map((match) =>
        (match.groups?.['cell'] ?? '').replaceAll(/<\/?bdi>/gu, ''),
      ),
    )
    .slice(1);

/**
 * Creates functions with which the owner stores and shares records.
 * @param pdaOf returns the PDA, which starts after the tests are declared
 */
export const createSharing = (pdaOf: () => TestPda) => {
  const requestShare = (endpoint: string, userId: string, definition: unknown, options: object = {}): Promise<Reply> =>
    pdaOf().call('POST', SHARED_VIEWS, { json: { endpoint, userId, definition, name: 'Long walks', ...options } });
  return {
    requestShare,
    async store(endpoint: string, records: readonly unknown[]): Promise<string[]> {
      const reply = await pdaOf().call('POST', `/api/v2.6/data/${endpoint}`, { json: records });
      expect(reply.status, reply.text.slice(0, 300)).toBe(201);
      return [reply.json].flat().map((record) => (record as { recordId: string }).recordId);
    },
    async share(
      endpoint: string,
      userId: string,
      definition: SharedDefinition,
      options: { name?: string; ends?: number } = {},
    ): Promise<SharedView> {
      const reply = await requestShare(endpoint, userId, definition, options);
      expect(reply.status, reply.text).toBe(200);
      return sharedViewSchema.parse(reply.json);
    },
    stop: ({ sharedViewId }: SharedView): Promise<Reply> => pdaOf().call('DELETE', `${SHARED_VIEWS}/${sharedViewId}`),
    listSharedViews: async (): Promise<SharedView[]> =>
      sharedViewsSchema.parse((await pdaOf().call('GET', SHARED_VIEWS)).json).views,
  };
};
