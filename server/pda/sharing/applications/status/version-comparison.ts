import type { Application, UserRole } from '../../../../wire/applications.ts';
import type { Bundle, BundleProperty, CombinatorEntry, Mapping, NamedBundle } from '../../../../wire/query.ts';
import { returnAddresses } from '../login/rules.ts';
import { dataOf, scopesOfRoles } from '../rules.ts';

/**
 * Comparison of a published version with the approved one. If the comparison is undecidable, the published version
 * counts as requesting more.
 */

/** Returns canonical JSON text: members are sorted, and unset ones are left out. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
};

export const sameJson = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

/**
 * Returns true if each output of a mapping is approved with the same source. Without a mapping, it is the entire
 * record.
 */
const mappingWithin = (requested: Mapping | null | undefined, approved: Mapping | null | undefined): boolean => {
  if (approved === null || approved === undefined) return true;
  if (requested === null || requested === undefined) return false;
  return Object.entries(requested).every(
    ([output, source]) => Object.hasOwn(approved, output) && sameJson(source, approved[output]),
  );
};

const entryWithin = (requested: CombinatorEntry, approved: CombinatorEntry): boolean =>
  requested.endpoint === approved.endpoint &&
  sameJson(requested.filters ?? [], approved.filters ?? []) &&
  mappingWithin(requested.mapping, approved.mapping);

const propertyWithin = (requested: BundleProperty, approved: BundleProperty): boolean => {
  const approvedLimit = approved.limit ?? null;
  const askedLimit = requested.limit ?? null;
  // With a limit, filters and order determine which records are read, so they must not change.
  if (approvedLimit !== null) {
    const sameRest = sameJson({ ...requested, limit: null }, { ...approved, limit: null });
    return sameRest && askedLimit !== null && askedLimit <= approvedLimit;
  }
  return requested.endpoints.every((entry) =>
    approved.endpoints.some((approvedEntry) => entryWithin(entry, approvedEntry)),
  );
};

const bundleWithin = (requested: Bundle, approved: Bundle): boolean =>
  Object.entries(requested).every(([name, property]) => {
    const approvedProperty = Object.hasOwn(approved, name) ? approved[name] : undefined;
    return approvedProperty !== undefined && propertyWithin(property, approvedProperty);
  });

const dataWithin = (requested: NamedBundle | null, approved: NamedBundle | null): boolean =>
  requested === null || (approved !== null && bundleWithin(requested.bundle, approved.bundle));

const rolesWithin = (requested: readonly UserRole[], approved: readonly UserRole[]): boolean => {
  const approvedScopes = scopesOfRoles(approved);
  return [...scopesOfRoles(requested)].every((scope) => approvedScopes.has(scope));
};

/**
 * Returns the conditions of the data request. Any change of them needs a new approval, because they restrict when data
 * is shared.
 */
const conditionsOf = ({ permissions }: Application): unknown =>
  permissions.dataRetrieved === null || permissions.dataRetrieved === undefined
    ? (permissions.dataRequired?.conditions?.bundle ?? null)
    : null;

/** Returns the origin that receives a token with the status check; null if none does. */
const statusOrigin = ({ status }: Application): string | null =>
  status.kind === 'External' ? (URL.parse(status.statusUrl ?? '')?.origin ?? '') : null;

/**
 * Returns the definition for the status check: the published one, unless it would send a token to an origin that the
 * owner has not approved.
 */
export const checkedAs = (published: Application, approved: Application): Application =>
  statusOrigin(published) === null || statusOrigin(published) === statusOrigin(approved) ? published : approved;

/** Returns the recipients of a token after a sign-in: web origins, and schemes of mobile apps. */
const tokenRecipients = (application: Application): string[] =>
  returnAddresses(application).map((address) => {
    const { origin, protocol } = new URL(address);
    return origin === 'null' ? protocol : origin;
  });

const returnsWithin = (requested: Application, approved: Application): boolean => {
  const approvedRecipients = new Set(tokenRecipients(approved));
  return tokenRecipients(requested).every((recipient) => approvedRecipients.has(recipient));
};

/** Returns true if the published version needs a new approval by the owner. */
export const requestsMoreThan = (published: Application, approved: Application): boolean =>
  !rolesWithin(published.permissions.rolesGranted, approved.permissions.rolesGranted) ||
  !dataWithin(dataOf(published), dataOf(approved)) ||
  (dataOf(published) !== null && !sameJson(conditionsOf(published), conditionsOf(approved))) ||
  checkedAs(published, approved) !== published ||
  // A new redirect origin would receive the rights with the next sign-in, without another consent page.
  !returnsWithin(published, approved);
