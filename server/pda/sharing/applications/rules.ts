import type { Principal, Scope } from '../../../platform/auth/principal.ts';
import type { Application, ApplicationRights, UserRole } from '../../../wire/applications.ts';
import { namespaceSchema, pathNameSchema } from '../../../wire/common.ts';
import type { NamedBundle } from '../../../wire/query.ts';

export const keyOf = (id: string): string => id.toLowerCase();

export const debitKeyOf = (id: string): string => `app-${id}`;

/** Returns undefined for an unsupported role or an invalid detail. `*` is not a wildcard. */
const scopesOfRole = ({ role, detail }: UserRole): readonly Scope[] | undefined => {
  const name = detail ?? '';
  switch (role.toLowerCase()) {
    case 'owner':
      // No scope grants the owner's actions, such as approvals, ending sessions and reading the access log.
      return ['any:records:read:', 'any:records:write:', 'queries:use', 'functions:use', 'debits:propose'];
    case 'namespaceread':
      return namespaceSchema.safeParse(name).success ? [`records:read:${name}`] : undefined;
    case 'namespacewrite':
      return namespaceSchema.safeParse(name).success ? [`records:write:${name}`] : undefined;
    case 'managefiles':
      return namespaceSchema.safeParse(name).success ? [`files:${name}`] : undefined;
    case 'datadebit':
      if (name === '') return ['debits:propose'];
      // `*` means every key in the reference implementation, and a colon separates the parts of a scope.
      return pathNameSchema.safeParse(name).success && !/[*:]/u.test(name)
        ? [`debits:propose:${name}`, `debits:read:${name}`]
        : undefined;
    default:
      return undefined;
  }
};

/** Every application may read its own Data Debits. */
export const scopesOfRoles = (roles: readonly UserRole[]): ReadonlySet<Scope> =>
  new Set<Scope>(['debits:own', ...roles.flatMap((role) => scopesOfRole(role) ?? [])]);

const sortUnique = (names: Iterable<string>): string[] => [...new Set(names)].toSorted();

export const rightsOfRoles = (roles: readonly UserRole[]): ApplicationRights => {
  const scopes = [...scopesOfRoles(roles)];
  const detailsOf = (prefix: string): string[] =>
    sortUnique(scopes.filter((scope) => scope.startsWith(prefix)).map((scope) => scope.slice(prefix.length)));
  const unsupportedRoles = roles.filter((role) => scopesOfRole(role) === undefined);
  return {
    read: detailsOf('records:read:'),
    write: detailsOf('records:write:'),
    files: detailsOf('files:'),
    proposesDebits: scopes.includes('debits:propose'),
    debits: detailsOf('debits:propose:'),
    actsAsOwner: scopes.includes('queries:use'),
    other: sortUnique(unsupportedRoles.map(({ role, detail }) => ((detail ?? '') === '' ? role : `${role} ${detail}`))),
  };
};

/** Returns the requested data; null if there is none. Prefers the current format to the legacy format. */
export const dataOf = ({ permissions }: Application): NamedBundle | null =>
  permissions.dataRetrieved ?? permissions.dataRequired?.bundle ?? null;

export const toPrincipal = (application: string, scopes: ReadonlySet<Scope>): Principal => ({
  kind: 'application',
  application,
  userId: '',
  sessionId: '',
  scopes,
});
