import { queryOptions } from '@tanstack/react-query';
import type { TimeFormat } from '../../../server/wire/fields.ts';
import { call } from '../../shared/api/client.ts';

// Calendar queries. The data is fetched again when `revision` changes.

const CALENDAR_CACHE_MS = 60_000;

export interface CalendarRequest {
  endpoint: string;
  /** Path of the field with the start of an event. */
  start: string;
  format: TimeFormat | undefined;
  /** Path of the field with the end of an event. */
  end: string | undefined;
  endFormat: TimeFormat | undefined;
}

interface CalendarRange {
  /** First and last day, such as `2026-03-01`. */
  from: string;
  to: string;
  /** Path of the field with the title of a record. */
  title: string | undefined;
  /** Maximum number of records listed per day. */
  perDay: number;
}

export const calendarExtent = (request: CalendarRequest, revision: string) =>
  queryOptions({
    queryKey: ['calendar', 'extent', request, revision],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/calendar/extent', { query: { ...request } }, signal),
    gcTime: CALENDAR_CACHE_MS,
  });

export const calendarDays = (request: CalendarRequest, range: CalendarRange, revision: string) =>
  queryOptions({
    queryKey: ['calendar', 'days', request, range, revision],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/calendar/days', { query: { ...request, ...range } }, signal),
    gcTime: CALENDAR_CACHE_MS,
  });
