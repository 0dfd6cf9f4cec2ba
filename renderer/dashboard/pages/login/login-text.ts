import { requestedTermsOf } from '../../../../server/wire/requested-terms.ts';
import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { day } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';

type Application = OwnerApplication['item']['application'];

const texts = m.login.consent;

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export function isUnencrypted(url: string): boolean {
  const target = URL.parse(url);
  return target?.protocol === 'http:' && !LOOPBACK.test(target.hostname);
}

/** Returns how long an application has access. Only the older request format has an end date. */
export function accessPeriodText(application: Application): string {
  const { end, cancelAtPeriodEnd } = requestedTermsOf(application);
  return cancelAtPeriodEnd && end !== undefined ? texts.until(day(new Date(end).toISOString())) : texts.untilStopped;
}
