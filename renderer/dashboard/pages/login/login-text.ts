import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { day } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';

type Application = OwnerApplication['item']['application'];

const words = m.login.consent;

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Returns true if the URL is not encrypted. */
export function isInTheClear(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && !LOOPBACK.test(url.hostname);
}

/** Until when the data would leave. Only the older form of a request names an end. */
export function untilOf({ permissions }: Application): string {
  const older = permissions.dataRetrieved == null ? permissions.dataRequired : undefined;
  if (older == null || older.rolling === true) return words.untilStopped;
  const end = older.endDate == null ? Number.NaN : new Date(older.endDate).getTime();
  return Number.isNaN(end) ? words.untilStopped : words.until(day(new Date(end).toISOString()));
}
