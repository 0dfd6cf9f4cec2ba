import type { Application } from './applications.ts';
import { MAX_DAYS, SECONDS_PER_DAY, unixMsOf } from './iso-8601.ts';
import type { NamedBundle } from './query.ts';

/** Times are in Unix milliseconds. */
export type RequestedTerms = {
  conditions: NamedBundle | null;
  start: number | undefined;
  end: number | undefined;
  cancelAtPeriodEnd: boolean;
};

/** Range of JavaScript dates. */
const MAX_DATE_MS = MAX_DAYS * SECONDS_PER_DAY * 1000;

const parseTime = (value: string | number | null | undefined): number | undefined => {
  if (value === null || value === undefined) return undefined;
  // Developers use various date formats. An ISO 8601 time without an offset is in UTC, as everywhere in the API.
  const ms = typeof value === 'number' ? value : (unixMsOf(value) ?? Date.parse(value));
  return Number.isSafeInteger(ms) && ms >= 0 ? Math.min(ms, MAX_DATE_MS) : undefined;
};

/** Returns the conditions and times of the legacy request format. The current format has none of them. */
export const requestedTermsOf = ({ permissions }: Pick<Application, 'permissions'>): RequestedTerms => {
  const usesCurrentFormat = permissions.dataRetrieved !== null && permissions.dataRetrieved !== undefined;
  const request = usesCurrentFormat ? undefined : permissions.dataRequired;
  const end = parseTime(request?.endDate);
  return {
    conditions: request?.conditions ?? null,
    start: parseTime(request?.startDate),
    end,
    cancelAtPeriodEnd: request?.rolling === false || (end !== undefined && request?.rolling !== true),
  };
};
