import { sharedViewSchema, type SharedDefinition } from '../../server/wire/shared-views.ts';
import { createInvitedGuest } from './guests.ts';
import type { Call } from './http.ts';
import type { TestPda } from './test-pda.ts';

// Guests with whom tables and charts are shared, were shared, or are not shared.

/** A value of the shared record. Responses that contain it show the record. */
export const SHARED_CANARY = 'canary on the northern ridge';
const ENDPOINT = 'ridges/sightings';
const HOUR_MS = 3_600_000;

const TABLE: SharedDefinition = {
  kind: 'table',
  selection: { search: '', filters: [], sorts: [], oldestFirst: true },
  columns: [{ path: 'bird', name: 'Bird' }],
};
const CHART: SharedDefinition = { kind: 'chart', chart: { kind: 'values', field: 'bird' } };

/** The shared table or chart of each caller. */
const SHARES = {
  'a guest with a shared table': { name: 'a table', definition: TABLE },
  'a guest with a shared chart': { name: 'a chart', definition: CHART },
  'a guest whose table is no longer shared': { name: 'a table that is no longer shared', definition: TABLE },
  'a guest whose shared chart has expired': { name: 'an expired chart', definition: CHART },
  'another guest': undefined,
  'an anonymous caller': undefined,
} as const;

type SharedViewCaller = keyof typeof SHARES;
export const SHARED_VIEW_CALLERS = Object.keys(SHARES) as SharedViewCaller[];

/** Status of the page of each table and chart, by caller. Other guests receive 404, and anonymous callers 303. */
export const VIEW_ACCESS: Record<string, Record<string, Partial<Record<SharedViewCaller, number>>>> = {
  'GET /guest/tables/:sharedViewId': {
    'a table': { 'a guest with a shared table': 200 },
    'a chart': {},
    'a table that is no longer shared': {},
    'an expired chart': {},
  },
  'GET /guest/tables/:sharedViewId/csv': {
    'a table': { 'a guest with a shared table': 200 },
    'a chart': {},
    'a table that is no longer shared': {},
    'an expired chart': {},
  },
  'GET /guest/charts/:sharedViewId': {
    'a table': {},
    'a chart': { 'a guest with a shared chart': 200 },
    'a table that is no longer shared': {},
    'an expired chart': {},
  },
};

/** A request, and the status that it must have; undefined for routes that do not show tables and charts. */
type ViewRequest = { view: string; path: string; status: number | undefined };

export type SharedViewCallers = Awaited<ReturnType<typeof createSharedViewCallers>>;

/** Stores a record, creates the guests and shares tables and charts with them. */
export const createSharedViewCallers = async (pda: TestPda) => {
  await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: { bird: SHARED_CANARY } });
  const cookies = new Map<SharedViewCaller, string>();
  const views = new Map<string, string>();
  for (const [index, caller] of SHARED_VIEW_CALLERS.entries()) {
    if (caller === 'an anonymous caller') continue;
    const { browser, userId } = await createInvitedGuest(pda, [], `Guest ${index}`);
    cookies.set(caller, browser.cookie ?? '');
    const share = SHARES[caller];
    if (share === undefined) continue;
    const ends = caller === 'a guest whose shared chart has expired' ? pda.clock.now() + HOUR_MS : null;
    const json = { endpoint: ENDPOINT, userId, ...share, ends };
    const view = sharedViewSchema.parse((await pda.call('POST', '/api/v2.6/owner/shared-views', { json })).json);
    views.set(share.name, view.sharedViewId);
  }
  await pda.call('DELETE', `/api/v2.6/owner/shared-views/${views.get('a table that is no longer shared') ?? ''}`);
  pda.clock.advance(HOUR_MS);
  return {
    /** Returns the requests of a caller for a route: one for each table and chart, if the route shows them. */
    requestsOf(key: string, caller: SharedViewCaller, path: string): ViewRequest[] {
      const row = VIEW_ACCESS[key];
      if (row === undefined) return [{ view: '', path, status: undefined }];
      const refusal = caller === 'an anonymous caller' ? 303 : 404;
      const [, pattern = ''] = key.split(' ');
      return [...views].map(([view, id]) => ({
        view,
        path: pattern.replace(':sharedViewId', id),
        status: row[view]?.[caller] ?? refusal,
      }));
    },
    /** Returns the request with the cookie of a caller and without a token. */
    callOf(caller: SharedViewCaller, { headers, ...otherFields }: Call): Call {
      const cookie = cookies.get(caller);
      return { ...otherFields, token: null, headers: { ...headers, ...(cookie === undefined ? {} : { cookie }) } };
    },
  };
};
