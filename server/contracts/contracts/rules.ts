import { z } from 'zod';
import { contractNamespaceSchema, type ContractNamespace } from '../../wire/contracts.ts';
import { normalizeText } from '../../wire/normalize.ts';

/** A name as an id: letters, digits and hyphens. Undefined when nothing is left of it. */
export const idOfName = (name: string): string | undefined => {
  const id = normalizeText(name, 'NFKD')
    .replaceAll(/[^A-Za-z0-9]+/gu, '-')
    .replaceAll(/^-+|-+$/gu, '')
    .toLowerCase()
    .slice(0, 60);
  return id === '' ? undefined : id;
};

/** As they are stored. One namespace is named once. */
export const namespacesText = (namespaces: readonly ContractNamespace[]): string => {
  const byName = new Map<string, ContractNamespace>();
  for (const { namespace, read, write } of namespaces) {
    const before = byName.get(namespace);
    const both = { namespace, read: read || before?.read === true, write: write || before?.write === true };
    byName.set(namespace, both);
  }
  return JSON.stringify([...byName.values()]);
};

export const namespacesFrom = (text: string): ContractNamespace[] =>
  z.array(contractNamespaceSchema).parse(JSON.parse(text));
