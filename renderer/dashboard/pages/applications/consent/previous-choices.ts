import type { NamedBundle } from '../../../../shared/api/contract.ts';
import { NO_CHOICES, type Choices, setEntryShared, setFieldShared } from '../../../consent/choices.ts';
import { type PlainEntry, type PlainProperty, plainBundle } from '../../../../shared/consent/bundle-text.ts';

type Bundle = NamedBundle['bundle'];

function placed(bundle: Bundle, { property, endpoint }: PlainEntry): PlainEntry[] {
  const found = plainBundle(bundle).find((one) => one.property === property);
  return (found?.entries ?? []).filter((entry) => entry.endpoint === endpoint);
}

/** Of an entry that was asked for before: what the owner left out of it then. */
function keepEntry(choices: Choices, entry: PlainEntry, asked: PlainEntry, given: PlainEntry): Choices {
  if (given.fields === null) return choices;
  const left = new Set(given.fields.map(({ name }) => name));
  if (asked.fields === null) {
    // Of entire records only these were given; of named fields, the others are switched off.
    if (entry.fields === null) return { ...choices, keptFields: new Map(choices.keptFields).set(entry.key, left) };
    const others = entry.fields.filter(({ name, source }) => !left.has(name) && !left.has(source));
    return others.reduce((now, { name }) => setFieldShared(now, entry, name, false, []), choices);
  }
  const without = new Set(asked.fields.filter(({ name }) => !left.has(name)).map(({ name }) => name));
  const still = (entry.fields ?? []).filter(({ name }) => without.has(name));
  return still.reduce((now, { name }) => setFieldShared(now, entry, name, false, []), choices);
}

/**
 * What the owner left out of an earlier version stays left out of the next one: an update must not bring it back unasked. Whatever
 * is new in it is as it asks; the differences name that.
 */
export function keptChoices(properties: readonly PlainProperty[], asked: Bundle, given: Bundle): Choices {
  let choices = NO_CHOICES;
  for (const entry of properties.flatMap(({ entries }) => entries)) {
    const before = placed(asked, entry);
    const granted = placed(given, entry);
    const [wasAsked] = before;
    const [wasGiven] = granted;
    if (wasAsked === undefined) continue;
    // Which of several was left out cannot be told: then none of them comes back by itself.
    if (wasGiven === undefined || granted.length < before.length) choices = setEntryShared(choices, entry, false);
    else choices = keepEntry(choices, entry, wasAsked, wasGiven);
  }
  return choices;
}
