import type { NamedBundle, Permission } from '../../../../shared/api/contract.ts';
import type { Narrowing } from '../../../../../server/wire/debits.ts';
import {
  NO_CHOICES,
  type Choices,
  isKeepable,
  narrowingOf,
  setEntryShared,
  setFieldShared,
} from '../../../consent/choices.ts';
import { isWithin } from '../../../consent/record-fields.ts';
import {
  type PlainEntry,
  type PlainField,
  type PlainProperty,
  plainBundle,
} from '../../../../shared/consent/bundle-text.ts';

type Bundle = NamedBundle['bundle'];

function entriesOf(bundle: Bundle, endpoint: string): PlainEntry[] {
  return plainBundle(bundle)
    .flatMap(({ entries }) => entries)
    .filter((entry) => entry.endpoint === endpoint);
}

/** Identifies the data of a field, whatever its name is. */
function dataKey({ source, label }: PlainField): string {
  return `${source} ${label}`;
}

/**
 * Excludes the data of an entry that the owner excluded before. Compares the sources of the fields: the requester
 * chooses their names, and could give excluded data another name.
 * @param requestedEntries entries for the same endpoint
 * @param grantedEntries the granted part of each of these entries
 */
function carryOverEntry(
  choices: Choices,
  entry: PlainEntry,
  requestedEntries: readonly PlainEntry[],
  grantedEntries: readonly PlainEntry[],
): Choices {
  // The owner granted entire records, which contain all other fields.
  if (grantedEntries.some(({ fields }) => fields === null)) return choices;
  const grantedFields = grantedEntries.flatMap(({ fields }) => fields ?? []);
  const requestedEntireRecords = requestedEntries.some(({ fields }) => fields === null);
  const excludedFields = requestedEntries.flatMap(({ fields }, index) => {
    const grantedNames = new Set(grantedEntries[index]?.fields?.map(({ name }) => name));
    return (fields ?? []).filter(({ name }) => !grantedNames.has(name));
  });
  if (!requestedEntireRecords && excludedFields.length === 0) return choices;
  if (entry.fields === null) {
    // Entire records would include the excluded fields.
    const sources = grantedFields.flatMap((field) => (field.hasSelectedMembers ? [] : field.source));
    const keptFields = new Set(sources.filter(isKeepable));
    return keptFields.size === 0
      ? setEntryShared(choices, entry, false)
      : { ...choices, keptFields: new Map(choices.keptFields).set(entry.key, keptFields) };
  }
  const grantedKeys = new Set(grantedFields.map(dataKey));
  const excludedNames = new Set(excludedFields.map(({ name }) => name));
  const isPartOfGranted = (source: string): boolean =>
    grantedFields.some((field) => !field.hasSelectedMembers && isWithin(source, field.source));
  const isExcluded = (field: PlainField): boolean => {
    if (grantedKeys.has(dataKey(field))) return false;
    if (excludedNames.has(field.name)) return true;
    if (isPartOfGranted(field.source)) return false;
    // If the owner granted single fields of entire records, all other fields were excluded.
    return (
      requestedEntireRecords ||
      excludedFields.some(({ source }) => isWithin(field.source, source) || isWithin(source, field.source))
    );
  };
  return entry.fields
    .filter(isExcluded)
    .reduce((current, { name }) => setFieldShared(current, entry, name, false, []), choices);
}

/**
 * Returns the initial choices for a new version. The owner's exclusions stay, because an update must not silently share
 * excluded data. Otherwise, new data is included; the list of differences names it.
 * @param requested data requested at the approval
 * @param granted data granted at the approval
 */
export function carryOverChoices(properties: readonly PlainProperty[], requested: Bundle, granted: Bundle): Choices {
  let choices = NO_CHOICES;
  for (const entry of properties.flatMap(({ entries }) => entries)) {
    const allRequestedEntries = entriesOf(requested, entry.endpoint);
    const isSameProperty = ({ property }: PlainEntry): boolean => property === entry.property;
    // The requester can choose a new name for the property.
    const isMatch = allRequestedEntries.some(isSameProperty) ? isSameProperty : () => true;
    const requestedEntries = allRequestedEntries.filter(isMatch);
    const grantedEntries = entriesOf(granted, entry.endpoint).filter(isMatch);
    // If the owner excluded some of several entries for an endpoint, it is unknown which, so all of them stay excluded.
    if (grantedEntries.length < requestedEntries.length) choices = setEntryShared(choices, entry, false);
    else choices = carryOverEntry(choices, entry, requestedEntries, grantedEntries);
  }
  return choices;
}

/**
 * Returns the data that was requested with the permission, including what the owner excluded.
 * @param permission undefined if the Data Debit neither runs nor is scheduled. Then the result is null, because set-up
 * restarts the Data Debit: all of its data counts as new.
 */
export function requestedData(permission: Permission | undefined): NamedBundle | null {
  return permission === undefined ? null : (permission.asked ?? permission.bundle);
}

/**
 * Returns the initial choices for a request that replaces this permission.
 * @param permission undefined if the Data Debit neither runs nor is scheduled
 */
export function initialChoices(properties: readonly PlainProperty[], permission: Permission | undefined): Choices {
  const requested = requestedData(permission);
  if (permission === undefined || requested === null) return NO_CHOICES;
  return carryOverChoices(properties, requested.bundle, permission.bundle.bundle);
}

/**
 * Returns the narrowing for a request that replaces an earlier one; undefined if no data is requested. It is explicit
 * even if nothing is excluded. Otherwise an earlier narrowing would stay in force, although the owner now includes the
 * data again.
 */
export function replacingNarrowing(properties: readonly PlainProperty[], choices: Choices): Narrowing | undefined {
  return properties.length === 0 ? undefined : (narrowingOf(properties, choices) ?? { drop: [], keep: [] });
}
