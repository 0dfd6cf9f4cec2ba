import { Failure } from '../../../../platform/failure.ts';
import { isSameJson } from '../../../../platform/json/equality.ts';
import type { DebitProposal } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { NamedGrantedBundle, StoredPermission, Terms } from '../permissions/mapping.ts';

/** Reserved key prefix of Data Debits that an application's set-up creates. */
const APPLICATION_KEY_PREFIX = 'app-';
/** Segments in which no key may end, because the route of such a key could equal a subroute of a shorter key. */
const SUB_PATHS = new Set(['enable', 'disable', 'values', 'reject', 'preview', 'grant', 'proof', 'receipt']);

/** End of the year 9999. Later dates have a different ISO 8601 format. */
const MAX_TIME_MS = 253_402_300_799_999;

export const invalidInput = (path: string, problem: string, reason: string): Failure =>
  new Failure('invalid_input', reason, { details: [{ path, problem }] });

/** Application ids are case-insensitive. */
export const isSameApplicationId = (left: string | null, right: string): boolean =>
  left?.toLowerCase() === right.toLowerCase();

/** Refuses keys that are reserved or make routes ambiguous. @throws Failure invalid_input */
export const refuseReservedKey = (key: string): void => {
  if (key.toLowerCase().startsWith(APPLICATION_KEY_PREFIX))
    throw invalidInput(
      'path.key',
      'begins with app-',
      `Keys that begin with ${APPLICATION_KEY_PREFIX} are reserved for the set-up of applications.`,
    );
  const lastSegment = key.split('/').at(-1) ?? '';
  if (SUB_PATHS.has(lastSegment)) {
    const reserved = [...SUB_PATHS].map((word) => `/${word}`).join(', ');
    throw invalidInput(
      'path.key',
      `ends in ${lastSegment}`,
      `A Data Debit key cannot end in ${lastSegment}. Reserved endings: ${reserved}.`,
    );
  }
};

/** Bundle name with which the owner publishes a profile (docs/decisions.md, section 11). */
const OWNERS_BUNDLE_NAME = 'phata';
export const isOwnersBundleName = (name: string): boolean => name === OWNERS_BUNDLE_NAME;

const refuseReservedBundleName = (path: string, { name }: NamedBundle): void => {
  if (isOwnersBundleName(name))
    throw invalidInput(path, 'belongs to the owner', `The bundle name ${name} belongs to the owner.`);
  if (name.split('/').at(-1) === 'structure')
    throw invalidInput(path, 'ends in structure', 'The last part of a bundle name cannot be structure.');
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

/** Checks the rules that the schema cannot express. @throws Failure invalid_input */
export const checkProposal = (key: string, proposal: DebitProposal): void => {
  if (proposal.dataDebitKey !== key)
    throw invalidInput('body.dataDebitKey', 'is not the key in the path', 'dataDebitKey must be the key in the path.');
  if (proposal.start + proposal.period * 1000 > MAX_TIME_MS)
    throw invalidInput(
      'body.period',
      'ends after the year 9999',
      'The period ends after the year 9999. Nothing was changed.',
    );
  refuseReservedBundleName('body.bundle.name', proposal.bundle);
  if (proposal.conditions) refuseReservedBundleName('body.conditions.name', proposal.conditions);
};

/** Refuses requests in another application's name. @throws Failure invalid_input */
export const requireOwnApplication = (application: string | null, { requestApplicationId }: DebitProposal): void => {
  if (application === null || requestApplicationId === null || requestApplicationId === undefined) return;
  if (isSameApplicationId(application, requestApplicationId)) return;
  throw invalidInput(
    'body.requestApplicationId',
    'names a different application',
    'requestApplicationId must be the id of the requesting application.',
  );
};

/** Ignores the name of the bundle and the conditions, because a narrowing depends on neither. */
export const requestsSameData = (permission: StoredPermission, proposal: DebitProposal): boolean =>
  isSameJson(permission.requestedBundle.bundle, proposal.bundle.bundle);

/** Returns true if the permission has the proposal's request and terms, and this grant. Ignores start and end. */
export const isUnchangedBy = (
  permission: StoredPermission,
  proposal: DebitProposal,
  granted: NamedGrantedBundle,
): boolean => {
  const { requestedBundle, conditions, requestedPeriod, requestedCancelAtPeriodEnd, terms } = permission;
  const current = [requestedBundle, conditions, requestedPeriod, requestedCancelAtPeriodEnd, terms, permission.granted];
  const { bundle, period, cancelAtPeriodEnd, requestApplicationId = null } = proposal;
  const proposedTerms = termsOf(proposal, requestApplicationId);
  const proposed = [bundle, proposal.conditions ?? null, period, cancelAtPeriodEnd, proposedTerms, granted];
  return JSON.stringify(current) === JSON.stringify(proposed);
};
