import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { reportSchema, type StatisticEvent } from '../../server/wire/statistics.ts';
import { respondJson, serve } from './http.ts';

/** Starts an exchange that accepts every registration and records all requests. */
export const startReportExchange = async () => {
  const receivedRequests: { call: string; headers: string; body: string }[] = [];
  const reports: StatisticEvent[][] = [];
  const state = {
    /**
     * Reaction to a report: accept it, be unavailable, accept it without a response, accept it and cut the connection,
     * or refuse it.
     */
    reports: 'accepted' as 'accepted' | 'down' | 'silent' | 'cut' | 'refused',
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = `${request.method ?? ''} ${request.url ?? ''}`;
    const body = await text(request);
    receivedRequests.push({ call, headers: JSON.stringify(request.headers), body });
    if (call === 'POST /api/users/registerPda') return respondJson(response, 200, { message: 'Registered' });
    if (call !== 'POST /stats/report') return respondJson(response, 200, []);
    if (state.reports === 'down') return respondJson(response, 503, {});
    const events = reportSchema.parse(JSON.parse(body));
    if (state.reports === 'refused') return respondJson(response, 400, {});
    reports.push(events);
    if (state.reports === 'silent') return undefined;
    if (state.reports === 'cut') return void response.destroy();
    return respondJson(response, 200, { message: 'Taken', taken: events.length, known: 0 });
  };

  const server = await serve((request, response) => void handle(request, response));
  return {
    ...server,
    receivedRequests,
    /** Accepted reports in the order of arrival. */
    reports,
    state,
    /** Returns the distinct events, as an exchange stores them. */
    distinctEvents: (): StatisticEvent[] => [...new Map(reports.flat().map((event) => [event.id, event])).values()],
    /** Returns the text of all requests, with the decoded claims of their tokens. */
    allText(): string {
      const log = receivedRequests.map(({ call, headers, body }) => `${call}\n${headers}\n${body}`).join('\n');
      const tokens = [...log.matchAll(/[\w-]{10,}\.([\w-]{10,})\.[\w-]{10,}/gu)];
      return [log, ...tokens.map(([, claims = '']) => Buffer.from(claims, 'base64url').toString())].join('\n');
    },
  };
};

export type ReportExchange = Awaited<ReturnType<typeof startReportExchange>>;
