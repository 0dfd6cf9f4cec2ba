import type { Scope } from '../../../platform/auth/principal.ts';
import type { ContractNamespace, ShortLivedClaims } from '../../../wire/contracts.ts';

const READ_PREFIX = 'records:read:';
const WRITE_PREFIX = 'records:write:';

/**
 * Returns the intersection of the approved scopes and those of the token. An approved scope for all namespaces grants a
 * contract nothing.
 */
export const scopesOf = (
  approved: ReadonlySet<Scope>,
  namespaces: ShortLivedClaims['namespaces'],
): ReadonlySet<Scope> => {
  const scopes = new Set<Scope>();
  for (const { namespace, read, write } of namespaces) {
    if (read && approved.has(`${READ_PREFIX}${namespace}`)) scopes.add(`${READ_PREFIX}${namespace}`);
    if (write && approved.has(`${WRITE_PREFIX}${namespace}`)) scopes.add(`${WRITE_PREFIX}${namespace}`);
  }
  return scopes;
};

/** Returns the namespaces of the scopes with their rights, sorted by name. */
export const namespacesOf = (scopes: ReadonlySet<Scope>): ContractNamespace[] => {
  const namespaces = new Map<string, ContractNamespace>();
  for (const scope of scopes) {
    const prefix = [READ_PREFIX, WRITE_PREFIX].find((candidate) => scope.startsWith(candidate));
    if (prefix === undefined) continue;
    const namespace = scope.slice(prefix.length);
    const entry = namespaces.get(namespace) ?? { namespace, read: false, write: false };
    namespaces.set(namespace, prefix === READ_PREFIX ? { ...entry, read: true } : { ...entry, write: true });
  }
  return [...namespaces.values()].toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
};

export const includesNamespace = (scopes: ReadonlySet<Scope>, namespace: string): boolean =>
  scopes.has(`${READ_PREFIX}${namespace}`) || scopes.has(`${WRITE_PREFIX}${namespace}`);

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/u;

/** Returns the first label of a host name; undefined for a name without a dot, an IP address or an invalid label. */
export const labelOf = (host: string | undefined): string | undefined => {
  const name = host?.toLowerCase().replace(/:\d+$/u, '') ?? '';
  const [label = '', ...others] = name.split('.');
  return others.length > 0 && LABEL.test(label) && !/^[\d.]+$/u.test(name) ? label : undefined;
};

export const verdictOf = (status: number, isLeaving: boolean): 'done' | 'refused' | 'retry' => {
  if (status >= 200 && status < 300) return 'done';
  // The PDA is not a member at the service, so leaving has succeeded.
  if (isLeaving && (status === 404 || status === 410)) return 'done';
  if (status < 400 || status >= 500 || status === 408 || status === 425 || status === 429) return 'retry';
  // The service could not fetch this PDA's key, or one of the clocks is wrong. Both can be temporary.
  if (status === 401) return 'retry';
  // A refused departure is retried, because its cause can be corrected.
  return isLeaving ? 'retry' : 'refused';
};
