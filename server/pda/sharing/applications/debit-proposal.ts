import type { Application } from '../../../wire/applications.ts';
import { webUrlSchema, type DebitProposal } from '../../../wire/debits.ts';
import { toDisplayLine, toDisplayParagraph } from '../../../wire/display-text.ts';
import { unixMsOf } from '../../../wire/iso-8601.ts';
import { MAX_PERIOD_SECONDS } from '../../../wire/limits.ts';
import { dataOf, debitKeyOf } from './rules.ts';

/** The Data Debit that setting up an application agrees to. */

/** Seconds. */
const DEFAULT_PERIOD = 30 * 86_400;

/** The first of these that is an address on the web. Makers leave addresses empty, or name only that of a phone's app: then there is none. */
const webAddress = (...candidates: readonly (string | null | undefined)[]): string =>
  candidates.find((candidate) => webUrlSchema.safeParse(candidate).success) ?? '';

const firstText = (...candidates: readonly (string | null | undefined)[]): string =>
  candidates.map((candidate) => (candidate ?? '').trim()).find((candidate) => candidate !== '') ?? '';

const momentOf = (given: string | number | null | undefined): number | undefined => {
  if (given === null || given === undefined) return undefined;
  // Makers write dates as they like. A time of ISO 8601 without an offset is in UTC, here as in all that is read.
  const ms = typeof given === 'number' ? given : (unixMsOf(given) ?? Date.parse(given));
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined;
};

/** The older form of a request says when it begins and ends, and whether it goes on after that. */
const timesOf = (
  { permissions }: Application,
  now: number,
): Pick<DebitProposal, 'start' | 'period' | 'cancelAtPeriodEnd'> => {
  const older =
    permissions.dataRetrieved === null || permissions.dataRetrieved === undefined ? permissions.dataRequired : null;
  const end = momentOf(older?.endDate);
  // Setting up is agreeing now: what began long ago begins now, and still ends when it was to end.
  const start = Math.max(momentOf(older?.startDate) ?? now, now);
  const cancelAtPeriodEnd = older?.rolling === false || (end !== undefined && older?.rolling !== true);
  if (end === undefined || end <= start) return { start, period: DEFAULT_PERIOD, cancelAtPeriodEnd };
  const period = Math.min(MAX_PERIOD_SECONDS, Math.max(1, Math.floor((end - start) / 1000)));
  return { start, period, cancelAtPeriodEnd };
};

/** Undefined when the application asks for no data. */
export const proposalOf = (application: Application, now: number): DebitProposal | undefined => {
  const { id, kind, info, setup, developer, permissions } = application;
  const bundle = dataOf(application);
  if (bundle === null) return undefined;
  const site = webAddress(kind.url, setup.url, developer?.url, info.termsUrl, kind.iosUrl, kind.androidUrl);
  const { logo } = info.graphics;
  const callback = webAddress(info.callbackUrl);
  return {
    dataDebitKey: debitKeyOf(id),
    bundle,
    conditions: permissions.dataRetrieved ? null : (permissions.dataRequired?.conditions ?? null),
    ...timesOf(application, now),
    purpose: toDisplayParagraph(firstText(info.dataUsePurpose, info.headline, info.name)).slice(0, 5000),
    termsUrl: webAddress(info.termsUrl, site),
    requestClientName: firstText(toDisplayLine(info.name), id).slice(0, 200),
    requestClientUrl: site,
    requestClientLogoUrl: webAddress(logo.normal, logo.small, logo.large, logo.xlarge),
    requestClientCallbackUrl: callback === '' ? null : callback,
    requestApplicationId: id,
    requestDescription: toDisplayParagraph(info.description.text.slice(0, 5000)),
  };
};
