import type { Application } from '../../../wire/applications.ts';
import { webUrlSchema, type DebitProposal } from '../../../wire/debits.ts';
import { toDisplayLine, toDisplayParagraph } from '../../../wire/display-text.ts';
import { MAX_PERIOD_SECONDS } from '../../../wire/limits.ts';
import { requestedTermsOf, type RequestedTerms } from '../../../wire/requested-terms.ts';
import { dataOf, debitKeyOf } from './rules.ts';

/** Limit of a Data Debit's purpose and description. */
const MAX_PARAGRAPH_CHARS = 5000;
/** Limit of a Data Debit's requester name. */
const MAX_NAME_CHARS = 200;
const DEFAULT_PERIOD_SECONDS = 30 * 86_400;

/**
 * Returns the first valid web URL; empty if there is none. Some developers leave URLs empty or state only the URL of a
 * mobile app.
 */
const firstWebUrl = (...candidates: readonly (string | null | undefined)[]): string =>
  candidates.find((candidate) => webUrlSchema.safeParse(candidate).success) ?? '';

const firstText = (...candidates: readonly (string | null | undefined)[]): string =>
  candidates.map((candidate) => (candidate ?? '').trim()).find((candidate) => candidate !== '') ?? '';

const timesOf = (
  { start: requestedStart, end, cancelAtPeriodEnd }: RequestedTerms,
  now: number,
): Pick<DebitProposal, 'start' | 'period' | 'cancelAtPeriodEnd'> => {
  // The owner allows the Data Debit by setting up the application, so a start in the past is moved to now. The end date
  // stays.
  const start = Math.max(requestedStart ?? now, now);
  if (end === undefined || end <= start) return { start, period: DEFAULT_PERIOD_SECONDS, cancelAtPeriodEnd };
  const period = Math.min(MAX_PERIOD_SECONDS, Math.max(1, Math.floor((end - start) / 1000)));
  return { start, period, cancelAtPeriodEnd };
};

export const createDebitProposal = (application: Application, now: number): DebitProposal | undefined => {
  const { id, kind, info, setup, developer } = application;
  const bundle = dataOf(application);
  if (bundle === null) return undefined;
  const site = firstWebUrl(kind.url, setup.url, developer?.url, info.termsUrl, kind.iosUrl, kind.androidUrl);
  const requestedTerms = requestedTermsOf(application);
  const { logo } = info.graphics;
  const callback = firstWebUrl(info.callbackUrl);
  return {
    dataDebitKey: debitKeyOf(id),
    bundle,
    conditions: requestedTerms.conditions,
    ...timesOf(requestedTerms, now),
    purpose: toDisplayParagraph(firstText(info.dataUsePurpose, info.headline, info.name)).slice(0, MAX_PARAGRAPH_CHARS),
    termsUrl: firstWebUrl(info.termsUrl, site),
    requestClientName: firstText(toDisplayLine(info.name), id).slice(0, MAX_NAME_CHARS),
    requestClientUrl: site,
    requestClientLogoUrl: firstWebUrl(logo.normal, logo.small, logo.large, logo.xlarge),
    requestClientCallbackUrl: callback === '' ? null : callback,
    requestApplicationId: id,
    requestDescription: toDisplayParagraph(info.description.text.slice(0, MAX_PARAGRAPH_CHARS)),
  };
};
