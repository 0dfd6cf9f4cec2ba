import type { Principal, Scope } from '../../../platform/auth/principal.ts';
import type { Application, ApplicationRights, UserRole } from '../../../wire/applications.ts';
import { namespaceSchema, pathNameSchema } from '../../../wire/common.ts';
import type { NamedBundle } from '../../../wire/query.ts';

/** Pure decisions about applications: what roles give, which version fits, what an application can be called by. */

/** Ids are one whatever their case. */
export const keyOf = (id: string): string => id.toLowerCase();

/** Key of the Data Debit that setting up agrees to. */
export const debitKeyOf = (id: string): string => `app-${id}`;

/** What one role gives; undefined when it gives nothing here. Exact: a star is no namespace, and names no other. */
const scopesOfRole = ({ role, detail }: UserRole): readonly Scope[] | undefined => {
  const name = detail ?? '';
  switch (role.toLowerCase()) {
    case 'owner':
      // Data as the owner has it. What only the owner may do (agree, sign others out, see the ledger) is no scope at all.
      return ['any:records:read:', 'any:records:write:', 'queries:use', 'functions:use', 'debits:propose'];
    case 'namespaceread':
      return namespaceSchema.safeParse(name).success ? [`records:read:${name}`] : undefined;
    case 'namespacewrite':
      return namespaceSchema.safeParse(name).success ? [`records:write:${name}`] : undefined;
    case 'managefiles':
      return namespaceSchema.safeParse(name).success ? [`files:${name}`] : undefined;
    case 'datadebit':
      if (name === '') return ['debits:propose'];
      // `*` stands for every key in the reference, and a colon separates the words of a scope.
      return pathNameSchema.safeParse(name).success && !/[*:]/u.test(name)
        ? [`debits:propose:${name}`, `debits:read:${name}`]
        : undefined;
    default:
      return undefined;
  }
};

/** What an application with these roles may do. Every one may see the Data Debits that it asked for itself. */
export const scopesOfRoles = (roles: readonly UserRole[]): ReadonlySet<Scope> =>
  new Set<Scope>(['debits:own', ...roles.flatMap((role) => scopesOfRole(role) ?? [])]);

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].toSorted();

/** The same in the words of the interface. */
export const rightsOfRoles = (roles: readonly UserRole[]): ApplicationRights => {
  const scopes = [...scopesOfRoles(roles)];
  const after = (start: string): string[] =>
    sorted(scopes.filter((scope) => scope.startsWith(start)).map((scope) => scope.slice(start.length)));
  const nothing = roles.filter((role) => scopesOfRole(role) === undefined);
  return {
    read: after('records:read:'),
    write: after('records:write:'),
    files: after('files:'),
    proposesDebits: scopes.includes('debits:propose'),
    debits: after('debits:propose:'),
    actsAsOwner: scopes.includes('queries:use'),
    other: sorted(nothing.map(({ role, detail }) => ((detail ?? '') === '' ? role : `${role} ${detail}`))),
  };
};

/** The data that an application wants shared; the older form is read where there is no newer one. */
export const dataOf = ({ permissions }: Application): NamedBundle | null =>
  permissions.dataRetrieved ?? permissions.dataRequired?.bundle ?? null;

/** Whether a caller with these scopes is let at records of a namespace. */
export const asPrincipal = (application: string, scopes: ReadonlySet<Scope>): Principal => ({
  kind: 'application',
  application,
  userId: '',
  sessionId: '',
  scopes,
});
