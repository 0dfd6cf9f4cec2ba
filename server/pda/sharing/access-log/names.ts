import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Consent, LoggedPrincipal } from './entry.ts';
import type { SearchGroup } from './store.ts';

export type NamedKind = LoggedPrincipal['kind'] | Consent['kind'];

export type NamedParty = { kind: string; id: string };

export type AccessNames = {
  /** Returns undefined if there is no name other than the id. */
  nameOf(kind: string, id: string): string | undefined;
  /** Returns the principals and consents of the groups whose names contain the text. */
  findPartiesByName(text: string, groups: readonly SearchGroup[]): NamedParty[];
  /** Returns at most MAX_NAMED_ENDPOINTS endpoints per text. */
  findEndpointsByName(texts: readonly string[]): Promise<string[][]>;
  /** Returns the sequence numbers of the newest files whose names have words that begin with those of the text. */
  findFilesByName(text: string): number[];
};

const MAX_NAMED_ENDPOINTS = 200;
const ENDPOINTS_PER_TURN = 200;

export const createAccessNames = (parts: {
  endpoints: () => readonly string[];
  endpointNameOf: (endpoint: string) => string;
}) => {
  const lookups = new Map<string, (id: string) => string | undefined>();
  let findFiles: (text: string) => number[] = () => [];

  const contains = (name: string | undefined, text: string): boolean =>
    name?.toLocaleLowerCase().includes(text.toLocaleLowerCase()) === true;
  const nameOf = (kind: string, id: string): string | undefined => {
    const name = lookups.get(kind)?.(id);
    return name === '' ? undefined : name;
  };

  return {
    nameOf,
    findPartiesByName(text, groups) {
      const parties = new Map<string, NamedParty>();
      for (const { who_kind: kind, who_name: id, consent_kind: consentKind, consent_name: consentId } of groups) {
        parties.set(`${kind} ${id}`, { kind, id });
        parties.set(`${consentKind} ${consentId}`, { kind: consentKind, id: consentId });
      }
      return [...parties.values()].filter(({ kind, id }) => contains(nameOf(kind, id), text));
    },
    async findEndpointsByName(texts) {
      const searches = texts.map((text) => ({ text, endpoints: [] as string[] }));
      if (searches.length === 0) return [];
      for (const [index, endpoint] of parts.endpoints().entries()) {
        if (index > 0 && index % ENDPOINTS_PER_TURN === 0) await nextTurn();
        const name = parts.endpointNameOf(endpoint);
        for (const { text, endpoints } of searches)
          if (endpoints.length < MAX_NAMED_ENDPOINTS && contains(name, text)) endpoints.push(endpoint);
      }
      return searches.map(({ endpoints }) => endpoints);
    },
    findFilesByName: (text) => findFiles(text),

    addLookup: (kind: NamedKind, lookup: (id: string) => string | undefined): void => void lookups.set(kind, lookup),
    setFileSearch(search: (text: string) => number[]): void {
      findFiles = search;
    },
  } satisfies AccessNames & Record<string, unknown>;
};
