import type { Application, UserRole } from '../../../../wire/applications.ts';
import type { Bundle, BundleProperty, CombinatorEntry, Mapping, NamedBundle } from '../../../../wire/query.ts';
import { returnAddresses } from '../login/rules.ts';
import { dataOf, scopesOfRoles } from '../rules.ts';

/** Whether a published version asks for more than the owner approved. Where that cannot be told, it does. */

/** The same text for the same JSON, whatever the order of its members; what is not set is left out. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
};

export const sameJson = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

/** Each output of a mapping must be there already, from the same place. Without a mapping it is the entire record. */
const mappingWithin = (asked: Mapping | null | undefined, approved: Mapping | null | undefined): boolean => {
  if (approved === null || approved === undefined) return true;
  if (asked === null || asked === undefined) return false;
  return Object.entries(asked).every(
    ([output, source]) => Object.hasOwn(approved, output) && sameJson(source, approved[output]),
  );
};

const entryWithin = (asked: CombinatorEntry, approved: CombinatorEntry): boolean =>
  asked.endpoint === approved.endpoint &&
  sameJson(asked.filters ?? [], approved.filters ?? []) &&
  mappingWithin(asked.mapping, approved.mapping);

const propertyWithin = (asked: BundleProperty, approved: BundleProperty): boolean => {
  const approvedLimit = approved.limit ?? null;
  const askedLimit = asked.limit ?? null;
  // Of a limited number, what is read and in which order says which ones: anything else gives other records.
  if (approvedLimit !== null) {
    const sameRest = sameJson({ ...asked, limit: null }, { ...approved, limit: null });
    return sameRest && askedLimit !== null && askedLimit <= approvedLimit;
  }
  return asked.endpoints.every((entry) => approved.endpoints.some((known) => entryWithin(entry, known)));
};

const bundleWithin = (asked: Bundle, approved: Bundle): boolean =>
  Object.entries(asked).every(([name, property]) => {
    const known = Object.hasOwn(approved, name) ? approved[name] : undefined;
    return known !== undefined && propertyWithin(property, known);
  });

const dataWithin = (asked: NamedBundle | null, approved: NamedBundle | null): boolean =>
  asked === null || (approved !== null && bundleWithin(asked.bundle, approved.bundle));

const rolesWithin = (asked: readonly UserRole[], approved: readonly UserRole[]): boolean => {
  const given = scopesOfRoles(approved);
  return [...scopesOfRoles(asked)].every((scope) => given.has(scope));
};

/** Conditions make data leave less often: without them, or with others, it is another agreement. */
const conditionsOf = ({ permissions }: Application): unknown =>
  permissions.dataRetrieved === null || permissions.dataRetrieved === undefined
    ? (permissions.dataRequired?.conditions?.bundle ?? null)
    : null;

/** Origin that receives a token with the status check; null if none does. */
const statusOrigin = ({ status }: Application): string | null =>
  status.kind === 'External' ? (URL.parse(status.statusUrl ?? '')?.origin ?? '') : null;

/** The status definition to check: the published one, unless it would send a token to an origin that the owner has not approved. */
export const checkedAs = (published: Application, approved: Application): Application =>
  statusOrigin(published) === null || statusOrigin(published) === statusOrigin(approved) ? published : approved;

/** To whom a token goes at the end of a sign-in: a site, or a program on a phone. */
const placesOf = (application: Application): string[] =>
  returnAddresses(application).map((address) => {
    const { origin, protocol } = new URL(address);
    return origin === 'null' ? protocol : origin;
  });

const returnsWithin = (asked: Application, approved: Application): boolean => {
  const known = new Set(placesOf(approved));
  return placesOf(asked).every((place) => known.has(place));
};

export const asksForMore = (published: Application, approved: Application): boolean =>
  !rolesWithin(published.permissions.rolesGranted, approved.permissions.rolesGranted) ||
  !dataWithin(dataOf(published), dataOf(approved)) ||
  (dataOf(published) !== null && !sameJson(conditionsOf(published), conditionsOf(approved))) ||
  checkedAs(published, approved) !== published ||
  // A new redirect origin would receive the rights with the next sign-in, without another consent page.
  !returnsWithin(published, approved);
