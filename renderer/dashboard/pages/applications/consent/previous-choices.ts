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
import { type PlainEntry, type PlainProperty, plainBundle } from '../../../../shared/consent/bundle-text.ts';

type Bundle = NamedBundle['bundle'];

function matchingEntries(bundle: Bundle, { property, endpoint }: PlainEntry): PlainEntry[] {
  const match = plainBundle(bundle).find((candidate) => candidate.property === property);
  return (match?.entries ?? []).filter((entry) => entry.endpoint === endpoint);
}

function carryOverEntry(choices: Choices, entry: PlainEntry, requested: PlainEntry, granted: PlainEntry): Choices {
  if (granted.fields === null) return choices;
  const grantedNames = new Set(granted.fields.map(({ name }) => name));
  if (requested.fields === null) {
    // Entire records were requested, and the owner granted single fields. If the new version names fields, those that
    // the owner did not grant stay excluded.
    if (entry.fields === null)
      return { ...choices, keptFields: new Map(choices.keptFields).set(entry.key, grantedNames) };
    const otherFields = entry.fields.filter(({ name, source }) => !grantedNames.has(name) && !grantedNames.has(source));
    return otherFields.reduce((current, { name }) => setFieldShared(current, entry, name, false, []), choices);
  }
  const excludedNames = new Set(requested.fields.filter(({ name }) => !grantedNames.has(name)).map(({ name }) => name));
  if (entry.fields === null && excludedNames.size > 0) {
    // Entire records would include the excluded fields.
    const sources = granted.fields.flatMap((field) => (field.hasSelectedMembers ? [] : field.source));
    const keptFields = new Set(sources.filter(isKeepable));
    return keptFields.size === 0
      ? setEntryShared(choices, entry, false)
      : { ...choices, keptFields: new Map(choices.keptFields).set(entry.key, keptFields) };
  }
  const excludedFields = (entry.fields ?? []).filter(({ name }) => excludedNames.has(name));
  return excludedFields.reduce((current, { name }) => setFieldShared(current, entry, name, false, []), choices);
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
    const requestedEntries = matchingEntries(requested, entry);
    const grantedEntries = matchingEntries(granted, entry);
    const [requestedEntry] = requestedEntries;
    const [grantedEntry] = grantedEntries;
    if (requestedEntry === undefined) continue;
    // If the owner excluded some of several entries for an endpoint, it is unknown which, so all of them stay excluded.
    if (grantedEntry === undefined || grantedEntries.length < requestedEntries.length)
      choices = setEntryShared(choices, entry, false);
    else choices = carryOverEntry(choices, entry, requestedEntry, grantedEntry);
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
