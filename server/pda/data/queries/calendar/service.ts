import { Failure } from '../../../../platform/failure.ts';
import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import type { CalendarDays, CalendarExtent } from '../../../../wire/calendar.ts';
import { MAX_CALENDAR_DAYS } from '../../../../wire/limits.ts';
import type { EndpointStore } from '../../../core/endpoint-store.ts';
import type { CalendarStore, DayListOptions, EventSelection } from './store.ts';

export type CalendarSelection = Omit<EventSelection, 'endpoint'> & { endpoint: string };

export type CalendarService = ReturnType<typeof createCalendarService>;

const DAY_MS = 86_400_000;

/**
 * Leaves out records above CHARTED_RECORD_MAX_BYTES. All methods throw Failure not_found if the endpoint does not
 * exist, and query_limit_exceeded if a read exceeds its limits.
 */
export const createCalendarService = (parts: { store: CalendarStore; endpoints: Pick<EndpointStore, 'summary'> }) => {
  const { store, endpoints } = parts;

  const resolve = ({ endpoint, ...times }: CalendarSelection): { selection: EventSelection; total: number } => {
    const row = endpoints.summary(endpoint);
    if (row === undefined) throw new Failure('not_found', 'There are no records at this endpoint.');
    return { selection: { ...times, endpoint: row.id }, total: row.records };
  };

  return {
    async extent(request: CalendarSelection): Promise<CalendarExtent> {
      const { selection, total } = resolve(request);
      const { records = 0, first = null, last = null } = (await mapReadErrors(store.extent(selection))) ?? {};
      return { first, last, records, excluded: Math.max(0, total - records) };
    },

    /**
     * Returns, for each day with records, their number and the first of them. A record is on each day from its start to
     * its end.
     * @throws Failure invalid_input if the range is empty or longer than MAX_CALENDAR_DAYS
     */
    async days(request: CalendarSelection, options: DayListOptions): Promise<CalendarDays> {
      const { selection } = resolve(request);
      const length = (Date.parse(options.to) - Date.parse(options.from)) / DAY_MS + 1;
      if (length < 1 || length > MAX_CALENDAR_DAYS)
        throw new Failure('invalid_input', `Request 1 to ${MAX_CALENDAR_DAYS} days.`);
      const days: CalendarDays['days'] = [];
      for (const { day, records, recordId, title, start } of await mapReadErrors(store.days(selection, options))) {
        const record = { recordId, title: title === null ? null : String(title), start };
        const last = days.at(-1);
        if (last?.day === day) last.first.push(record);
        else days.push({ day, records, first: [record] });
      }
      return { days };
    },
  };
};
