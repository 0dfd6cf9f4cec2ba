import type { Scope } from '../../../platform/auth/principal.ts';
import type { ContractNamespace, ShortLivedClaims } from '../../../wire/contracts.ts';

/** Pure decisions about contracts. */

const READ = 'records:read:';
const WRITE = 'records:write:';

/**
 * What a contract may do here: what its token says and the owner approved, both. Exact names only: rights over everything that an
 * application may have are not what a contract is for.
 */
export const scopesOf = (
  approved: ReadonlySet<Scope>,
  namespaces: ShortLivedClaims['namespaces'],
): ReadonlySet<Scope> => {
  const scopes = new Set<Scope>();
  for (const { namespace, read, write } of namespaces) {
    if (read && approved.has(`${READ}${namespace}`)) scopes.add(`${READ}${namespace}`);
    if (write && approved.has(`${WRITE}${namespace}`)) scopes.add(`${WRITE}${namespace}`);
  }
  return scopes;
};

/** Namespaces that rights speak of, in order. */
export const namespacesOf = (scopes: ReadonlySet<Scope>): ContractNamespace[] => {
  const found = new Map<string, ContractNamespace>();
  for (const scope of scopes) {
    const start = scope.startsWith(READ) ? READ : scope.startsWith(WRITE) ? WRITE : undefined;
    if (start === undefined) continue;
    const namespace = scope.slice(start.length);
    const entry = found.get(namespace) ?? { namespace, read: false, write: false };
    found.set(namespace, start === READ ? { ...entry, read: true } : { ...entry, write: true });
  }
  return [...found.values()].toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
};

/** Whether rights speak of a namespace at all. */
export const knowsNamespace = (scopes: ReadonlySet<Scope>, namespace: string): boolean =>
  scopes.has(`${READ}${namespace}`) || scopes.has(`${WRITE}${namespace}`);

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/u;

/** First label of a public address, where that is a name; undefined for an address of this machine alone, or of numbers. */
export const labelOf = (host: string | undefined): string | undefined => {
  const name = host?.toLowerCase().replace(/:\d+$/u, '') ?? '';
  const [label = '', ...others] = name.split('.');
  return others.length > 0 && LABEL.test(label) && !/^[\d.]+$/u.test(name) ? label : undefined;
};

/** What an answer of the contracts service to joining or leaving amounts to. */
export const verdictOf = (status: number, leaving: boolean): 'done' | 'refused' | 'again' => {
  if (status >= 200 && status < 300) return 'done';
  // Not known there (any more): that is what leaving wants.
  if (leaving && (status === 404 || status === 410)) return 'done';
  if (status < 400 || status >= 500 || status === 408 || status === 425 || status === 429) return 'again';
  // It could not look at our key, or one of the two clocks is off: neither is for ever.
  if (status === 401) return 'again';
  // Leaving is retried: a rejected key can be corrected.
  return leaving ? 'again' : 'refused';
};
