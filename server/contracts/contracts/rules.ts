import { z } from 'zod';
import { contractNamespaceSchema, type ContractNamespace } from '../../wire/contracts.ts';
import {
  displayText,
  isDisplayLine,
  isDisplayParagraph,
  NOT_A_DISPLAY_LINE,
  NOT_A_DISPLAY_PARAGRAPH,
} from '../../wire/display-text.ts';
import { slugify } from '../../wire/normalize.ts';

const DERIVED_ID_MAX_CHARS = 60;

/** Texts of a contract that PDAs show to their owners. Only the name is required. */
export const contractTextsSchema = z.object({
  name: displayText(200),
  description: z.string().trim().max(5000).refine(isDisplayParagraph, NOT_A_DISPLAY_PARAGRAPH),
  developer: z.string().trim().max(200).refine(isDisplayLine, NOT_A_DISPLAY_LINE),
});

/** Derives an id from the slug of a name. Returns undefined if the slug is empty. */
export const idOfName = (name: string): string | undefined => {
  const id = slugify(name).slice(0, DERIVED_ID_MAX_CHARS).replace(/-$/u, '');
  return id === '' ? undefined : id;
};

/** Returns the namespaces as JSON, in which the rights of repeated names are merged. */
export const serializeNamespaces = (namespaces: readonly ContractNamespace[]): string => {
  const byName = new Map<string, ContractNamespace>();
  for (const { namespace, read, write } of namespaces) {
    const existing = byName.get(namespace);
    const mergedRights = { namespace, read: read || existing?.read === true, write: write || existing?.write === true };
    byName.set(namespace, mergedRights);
  }
  return JSON.stringify([...byName.values()]);
};

export const parseNamespaces = (text: string): ContractNamespace[] =>
  z.array(contractNamespaceSchema).parse(JSON.parse(text));
