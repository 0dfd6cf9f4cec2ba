import type { Mapping, NestedMapping } from './query.ts';

// Mappings with fields that contain entire records. This file contains no schemas, so that the dashboard can import it
// without bundling Zod.

/** Matches paths without steps, which lead to the stored value itself. */
const WHOLE_VALUE_PATH = /^(?:data\.)?(?:\[\])+$/u;

export const isWholeValuePath = (path: string): boolean => WHOLE_VALUE_PATH.test(path);

/** Returns true if a mapped field contains the entire record, including fields that are added to it later. */
export const containsEntireRecord = (source: string | NestedMapping): boolean =>
  typeof source === 'string'
    ? isWholeValuePath(source)
    : isWholeValuePath(source.source) && Object.values(source.mappings).some(containsEntireRecord);

/** Returns true without a mapping, and for a mapping with a field that contains the entire record. */
export const outputsEntireRecords = (mapping: Mapping | null | undefined): boolean =>
  mapping === null || mapping === undefined || Object.values(mapping).some(containsEntireRecord);
