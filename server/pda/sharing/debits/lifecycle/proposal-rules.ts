import { Failure } from '../../../../platform/failure.ts';
import type { DebitProposal } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { Granted, StoredPermission, Terms } from '../permissions/mapping.ts';

/** What a proposal must be, beside what its schema says, and what is kept of it. */

/** Key prefix of Data Debits that are created with an application's set-up; reserved for them. */
const OF_APPLICATIONS = 'app-';
/** A key that ends like one of our own paths could be stored and never be reached. */
const SUB_PATHS = new Set(['enable', 'disable', 'values', 'reject', 'preview', 'grant', 'proof', 'receipt']);

/** Unix milliseconds of the end of the year 9999: beyond it a date is written in another form. */
const LAST_MOMENT_MS = 253_402_300_799_999;

export const invalid = (path: string, problem: string, reason: string): Failure =>
  new Failure('invalid_input', reason, { details: [{ path, problem }] });

/** Ids of applications are the same whatever their case. */
export const sameName = (one: string | null, other: string): boolean => one?.toLowerCase() === other.toLowerCase();

/** @throws Failure invalid_input */
export const requireFreeKey = (key: string): void => {
  if (key.toLowerCase().startsWith(OF_APPLICATIONS))
    throw invalid(
      'path.key',
      'begins with app-',
      `Keys that begin with ${OF_APPLICATIONS} are for the set-up of applications.`,
    );
  const last = key.split('/').at(-1) ?? '';
  if (SUB_PATHS.has(last)) {
    const reserved = [...SUB_PATHS].map((word) => `/${word}`).join(', ');
    throw invalid(
      'path.key',
      `ends in ${last}`,
      `A Data Debit key cannot end in ${last}: these endings are reserved: ${reserved}.`,
    );
  }
};

/** The bundle under which the owner publishes a profile (docs/decisions.md, section 10). */
const OWNERS_BUNDLE = 'phata';
export const isOwnersName = (name: string): boolean => name === OWNERS_BUNDLE;

const requireBundleName = (path: string, { name }: NamedBundle): void => {
  if (isOwnersName(name)) throw invalid(path, 'belongs to the owner', `The bundle name ${name} belongs to the owner.`);
  if (name.split('/').at(-1) === 'structure')
    throw invalid(path, 'ends in structure', 'The last part of a bundle name cannot be structure.');
};

export const termsOf = (proposal: DebitProposal, application: string | null): Terms => {
  const { requestClientCallbackUrl, requestDescription } = proposal;
  const requestApplicationId = application ?? proposal.requestApplicationId ?? undefined;
  return {
    purpose: proposal.purpose,
    termsUrl: proposal.termsUrl,
    requestClientName: proposal.requestClientName,
    requestClientUrl: proposal.requestClientUrl,
    requestClientLogoUrl: proposal.requestClientLogoUrl,
    ...(requestClientCallbackUrl === null || requestClientCallbackUrl === undefined
      ? {}
      : { requestClientCallbackUrl }),
    ...(requestApplicationId === undefined ? {} : { requestApplicationId }),
    ...(requestDescription === null || requestDescription === undefined ? {} : { requestDescription }),
  };
};

/** @throws Failure invalid_input */
export const checkProposal = (key: string, proposal: DebitProposal): void => {
  if (proposal.dataDebitKey !== key)
    throw invalid('body.dataDebitKey', 'is not the key in the address', 'dataDebitKey must be the key in the address.');
  if (proposal.start + proposal.period * 1000 > LAST_MOMENT_MS)
    throw invalid(
      'body.period',
      'ends after the year 9999',
      'The period ends after the year 9999. Nothing was changed.',
    );
  requireBundleName('body.bundle.name', proposal.bundle);
  if (proposal.conditions) requireBundleName('body.conditions.name', proposal.conditions);
};

/** Refuses requests in the name of another application. @throws Failure invalid_input */
export const requireOwnApplication = (
  application: string | null,
  { requestApplicationId: named }: DebitProposal,
): void => {
  if (application === null || named === null || named === undefined || sameName(application, named)) return;
  throw invalid(
    'body.requestApplicationId',
    'is another application',
    'requestApplicationId must be the application that asks.',
  );
};

/** Whether a permission and a proposal ask for the same data. */
export const asksForTheSame = (permission: StoredPermission, proposal: DebitProposal): boolean =>
  JSON.stringify([permission.asked, permission.conditions]) ===
  JSON.stringify([proposal.bundle, proposal.conditions ?? null]);

/** Whether a permission is what a proposal asks for, granted like this. When it began does not matter. */
export const isTheSame = (permission: StoredPermission, proposal: DebitProposal, granted: Granted): boolean => {
  const { asked, conditions, askedPeriod, askedCancelAtPeriodEnd, terms } = permission;
  const before = [asked, conditions, askedPeriod, askedCancelAtPeriodEnd, terms, permission.granted];
  const { bundle, period, cancelAtPeriodEnd, requestApplicationId = null } = proposal;
  const now = [
    bundle,
    proposal.conditions ?? null,
    period,
    cancelAtPeriodEnd,
    termsOf(proposal, requestApplicationId),
    granted,
  ];
  return JSON.stringify(before) === JSON.stringify(now);
};
