import { isSameJson } from '../../../../platform/json/equality.ts';
import type { Application, UserRole } from '../../../../wire/applications.ts';
import type { Bundle, BundleProperty, CombinatorEntry, Mapping, NamedBundle } from '../../../../wire/query.ts';
import { redirectUrlsOf } from '../login/rules.ts';
import { dataOf, scopesOfRoles } from '../rules.ts';

// Compares a published version with the approved version. When in doubt, the published version counts as requesting
// more.

/** Returns true if each output is approved with the same source. A missing mapping selects the entire record. */
const isMappingWithin = (requested: Mapping | null | undefined, approved: Mapping | null | undefined): boolean => {
  if (approved === null || approved === undefined) return true;
  if (requested === null || requested === undefined) return false;
  return Object.entries(requested).every(
    ([output, source]) => Object.hasOwn(approved, output) && isSameJson(source, approved[output]),
  );
};

const isEntryWithin = (requested: CombinatorEntry, approved: CombinatorEntry): boolean =>
  requested.endpoint === approved.endpoint &&
  isSameJson(requested.filters ?? [], approved.filters ?? []) &&
  isMappingWithin(requested.mapping, approved.mapping);

const isPropertyWithin = (requested: BundleProperty, approved: BundleProperty): boolean => {
  const approvedLimit = approved.limit ?? null;
  const requestedLimit = requested.limit ?? null;
  // If there is a limit, filters and order determine which records are read, so they must not change.
  if (approvedLimit !== null) {
    const hasSameQuery = isSameJson({ ...requested, limit: null }, { ...approved, limit: null });
    return hasSameQuery && requestedLimit !== null && requestedLimit <= approvedLimit;
  }
  return requested.endpoints.every((entry) =>
    approved.endpoints.some((approvedEntry) => isEntryWithin(entry, approvedEntry)),
  );
};

const isBundleWithin = (requested: Bundle, approved: Bundle): boolean =>
  Object.entries(requested).every(([name, property]) => {
    const approvedProperty = Object.hasOwn(approved, name) ? approved[name] : undefined;
    return approvedProperty !== undefined && isPropertyWithin(property, approvedProperty);
  });

const isDataWithin = (requested: NamedBundle | null, approved: NamedBundle | null): boolean =>
  requested === null || (approved !== null && isBundleWithin(requested.bundle, approved.bundle));

const areRolesWithin = (requested: readonly UserRole[], approved: readonly UserRole[]): boolean => {
  const approvedScopes = scopesOfRoles(approved);
  return [...scopesOfRoles(requested)].every((scope) => approvedScopes.has(scope));
};

/** Conditions restrict when data is shared, so any changed condition needs a new approval. */
const conditionsOf = ({ permissions }: Application): unknown =>
  permissions.dataRetrieved === null || permissions.dataRetrieved === undefined
    ? (permissions.dataRequired?.conditions?.bundle ?? null)
    : null;

/** Returns the origin that receives a token with the status check; null without a check, empty for an invalid URL. */
const statusOrigin = ({ status }: Application): string | null =>
  status.kind === 'External' ? (URL.parse(status.statusUrl ?? '')?.origin ?? '') : null;

/**
 * Returns the published definition; the approved definition if the published status check would send a token to an
 * origin that the owner has not approved.
 */
export const statusDefinitionOf = (published: Application, approved: Application): Application =>
  statusOrigin(published) === null || statusOrigin(published) === statusOrigin(approved) ? published : approved;

/** Returns the recipients of sign-in tokens: web origins, and schemes of mobile apps. */
const tokenRecipients = (application: Application): string[] =>
  redirectUrlsOf(application).map((address) => {
    const { origin, protocol } = new URL(address);
    return origin === 'null' ? protocol : origin;
  });

const areRedirectsWithin = (requested: Application, approved: Application): boolean => {
  const approvedRecipients = new Set(tokenRecipients(approved));
  return tokenRecipients(requested).every((recipient) => approvedRecipients.has(recipient));
};

export const requestsMoreThan = (published: Application, approved: Application): boolean =>
  !areRolesWithin(published.permissions.rolesGranted, approved.permissions.rolesGranted) ||
  !isDataWithin(dataOf(published), dataOf(approved)) ||
  (dataOf(published) !== null && !isSameJson(conditionsOf(published), conditionsOf(approved))) ||
  statusDefinitionOf(published, approved) !== published ||
  // A new redirect origin would receive these rights at the next sign-in without another consent page.
  !areRedirectsWithin(published, approved);
