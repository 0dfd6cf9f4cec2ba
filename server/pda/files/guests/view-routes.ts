import { Readable } from 'node:stream';
import { z } from 'zod';
import { describeHtmlPage } from '../../core/public-page.ts';
import { contentDisposition } from '../../../platform/http/response/content-disposition.ts';
import { headResponse, type RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { SHARED_CSV_MAX_RECORDS, SHARED_TABLE_PAGE_RECORDS } from '../../../wire/limits.ts';
import type { ChartSettings } from '../../../wire/pinned-charts.ts';
import type { SharedDefinition, SharedTable } from '../../../wire/shared-views.ts';
import type { GrantedView, SharedViewReads } from '../../sharing/shared-views/index.ts';
import { pageNumber, pageQuery } from './file-responses.ts';
import { createOutlinesReader } from './map-outlines.ts';
import { pageRoute, redirect, SIGN_IN_REDIRECT, type GuestPages, type GuestRequest } from './page-response.ts';
import { chartPage } from './pages/charts.ts';
import { GUEST_PAGE_HEADERS } from './pages/frame.ts';
import { viewPath } from './pages/lists.ts';
import { tablePage } from './pages/tables.ts';
import { streamSharedCsv } from './view-csv.ts';
import type { ViewReads } from './view-reads.ts';

const TABLE_PATH = `${GUEST_PATH}/tables/:sharedViewId`;
const CSV_PATH = `${TABLE_PATH}/csv`;
const CHART_PATH = `${GUEST_PATH}/charts/:sharedViewId`;

const viewParams = z.strictObject({ sharedViewId: z.uuid() });
const monthQuery = z.object({
  month: z.string().max(20).optional().meta({ description: 'Month of a calendar, such as 2026-03' }),
});
const RESPONSES = {
  303: SIGN_IN_REDIRECT,
  404: describeHtmlPage('HTML page: the table or chart is not shared with the guest, or its data was deleted'),
  429: describeHtmlPage('HTML page: the guest is reading too many tables and charts at once'),
};
const TOO_LARGE_PAGE = describeHtmlPage('HTML page: the read exceeds its limits');

type SharedChart = SharedDefinition & { kind: 'chart' };

const isTable = (view: GrantedView): view is GrantedView<SharedTable> => view.definition.kind === 'table';
const isChart = (view: GrantedView): view is GrantedView<SharedChart> => view.definition.kind === 'chart';

const fieldsOfChart = (chart: ChartSettings): string[] =>
  [chart.field, 'time' in chart ? chart.time : undefined, 'second' in chart ? chart.second : undefined].flatMap(
    (path) => path ?? [],
  );

export type ViewPages = ReturnType<typeof createViewPages>;

export const createViewPages = (parts: {
  viewReads: ViewReads;
  sharedViewReads: Pick<SharedViewReads, 'page' | 'chart'>;
  pages: GuestPages;
  dashboard: string | undefined;
}) => {
  const { viewReads, sharedViewReads: reads, pages, dashboard } = parts;
  const readOutlines = createOutlinesReader(dashboard);

  return {
    table: (
      { sharedViewId, page }: { sharedViewId: string; page: number },
      request: GuestRequest,
    ): Promise<RouteResponse> =>
      viewReads.respond(sharedViewId, request, isTable, async ({ view, frame, record, respondMissing }) => {
        const skip = (page - 1) * SHARED_TABLE_PAGE_RECORDS;
        const { rows, total } = await reads.page(view, { skip, take: SHARED_TABLE_PAGE_RECORDS });
        const { columns } = view.definition;
        const isAllowed = await record(
          `GET ${TABLE_PATH}`,
          rows.map(({ seq }) => seq),
          columns.map(({ path }) => path),
        );
        if (!isAllowed) return respondMissing();
        const content = {
          sharedViewId: view.sharedViewId,
          name: view.name,
          columns,
          rows: rows.map(({ cells }) => cells),
          total,
          skip,
          page,
          hasMore: skip + SHARED_TABLE_PAGE_RECORDS < total,
        };
        return pages.respond(200, request.headers, tablePage(frame, content));
      }),

    chart: (
      { sharedViewId, month }: { sharedViewId: string; month: string | undefined },
      request: GuestRequest,
    ): Promise<RouteResponse> =>
      viewReads.respond(sharedViewId, request, isChart, async ({ view, frame, record, respondMissing }) => {
        const settings = view.definition.chart;
        const { values, seqs } = await reads.chart(view.endpoint, settings, month);
        const outlines = settings.kind === 'map' ? await readOutlines() : undefined;
        if (!(await record(`GET ${CHART_PATH}`, seqs, fieldsOfChart(settings)))) return respondMissing();
        const content = { sharedViewId: view.sharedViewId, name: view.name, settings, values, outlines };
        return pages.respond(200, request.headers, chartPage(frame, content));
      }),
  };
};

export const guestViewRoutes = (parts: {
  viewReads: ViewReads;
  viewPages: ViewPages;
  sharedViewReads: Pick<SharedViewReads, 'csvSeqs' | 'csvCells'>;
  pages: GuestPages;
}) => {
  const { viewReads, viewPages, sharedViewReads: reads, pages } = parts;

  return [
    pageRoute({
      method: 'GET',
      path: TABLE_PATH,
      summary: 'Show the page of a table that is shared with a guest',
      description: `Shows ${SHARED_TABLE_PAGE_RECORDS} records per page, with the shared columns only.`,
      params: viewParams,
      query: pageQuery,
      responses: { 200: describeHtmlPage('HTML page without scripts'), 400: TOO_LARGE_PAGE, ...RESPONSES },
      handler: ({ params: { sharedViewId }, query, headers, caller }) =>
        pages.withGuest(caller, (guest) =>
          viewPages.table({ sharedViewId, page: pageNumber(query.page) }, { guest, headers, caller }),
        ),
    }),
    pageRoute({
      method: 'GET',
      path: CSV_PATH,
      summary: 'Download a table that is shared with a guest',
      description: `A CSV file of at most ${SHARED_CSV_MAX_RECORDS} records. The download is aborted when the guest loses the right to the table or the session ends.`,
      params: viewParams,
      responses: {
        200: { description: 'The shared columns of all matching records', contentType: 'text/csv; charset=utf-8' },
        400: TOO_LARGE_PAGE,
        ...RESPONSES,
        303: { description: '`Location` is the sign-in page, or the page of the table if it has too many records' },
      },
      takesMinutes: true,
      handler: ({ params, headers, caller }) =>
        pages.withGuest(caller, (guest) =>
          viewReads.respond(params.sharedViewId, { guest, headers, caller }, isTable, async (request) => {
            const { view, isAllowed, record, holdUntilClosed, respondMissing } = request;
            const seqs = await reads.csvSeqs(view);
            if (seqs === undefined) return redirect(viewPath('table', view.sharedViewId));
            const contentType = 'text/csv; charset=utf-8';
            if (caller.headersOnly) return { ...headResponse(200), contentType };
            const paths = view.definition.columns.map(({ path }) => path);
            if (!(await record(`GET ${CSV_PATH}`, seqs, paths))) return respondMissing();
            const rows = streamSharedCsv(view, seqs, { csvCells: reads.csvCells, isAllowed });
            const stream = Readable.from(rows, { objectMode: false });
            holdUntilClosed(stream);
            return {
              status: 200,
              contentType,
              // Unlike the headers of API responses, these headers do not let pages of other origins read the file.
              base: GUEST_PAGE_HEADERS,
              headers: { 'content-disposition': contentDisposition(`${view.name}.csv`) },
              stream,
            };
          }),
        ),
    }),
    pageRoute({
      method: 'GET',
      path: CHART_PATH,
      summary: 'Show the page of a chart that is shared with a guest',
      description:
        'A drawing without scripts, and a table of the same values. Scatter plots, calendars and maps show values of individual records; all other charts show aggregates.',
      params: viewParams,
      query: monthQuery,
      responses: { 200: describeHtmlPage('HTML page without scripts'), 400: TOO_LARGE_PAGE, ...RESPONSES },
      handler: ({ params: { sharedViewId }, query, headers, caller }) =>
        pages.withGuest(caller, (guest) =>
          viewPages.chart({ sharedViewId, month: query.month }, { guest, headers, caller }),
        ),
    }),
  ] as const;
};
