import type { Language } from '../../../../shared/format/languages.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { type InputControl, jsonOfInput } from './controls.ts';
import {
  type JsonNode,
  type JsonPath,
  arrayText,
  membersOf,
  nodeAt,
  parseJson,
  removeMember,
  setValue,
} from './json-edits.ts';

// State of the record form: its JSON and the text in its inputs. States are immutable: a change returns a new one.

interface TypedInput {
  /** Stays the same while the owner types, even if another control would fit the new value. */
  control: InputControl;
  text: string;
  /** True if the control does not accept the text. The JSON then keeps its last valid value. */
  isInvalid: boolean;
}

/**
 * Field that has an input although it is missing or null in the record. The record is not changed while the input is
 * empty.
 */
export interface OpenedField {
  path: JsonPath;
  /** Number of leading path segments that exist in the record. */
  existingDepth: number;
  /** True if the field has the value null in the record. */
  isNull: boolean;
}

export interface Draft {
  text: string;
  typedInputs: ReadonlyMap<string, TypedInput>;
  openedFields: ReadonlyMap<string, OpenedField>;
}

/** Finds the element that gets the focus after a change to the form. */
export type FindFocus = (form: HTMLElement) => HTMLElement | null | undefined;

export interface FormState {
  draft: Draft;
  change: (draft: Draft) => void;
  language: Language;
  /** Sets which element gets the focus after the next change. @param find a function, or a selector */
  focusNext: (find: FindFocus | string) => void;
}

export const keyOf = (path: JsonPath): string => JSON.stringify(path);

const isWithin = (key: string, path: JsonPath): boolean =>
  key === keyOf(path) || key.startsWith(`${keyOf(path).slice(0, -1)},`);

function removeKeysWithin<Value>(map: ReadonlyMap<string, Value>, path: JsonPath): Map<string, Value> {
  return new Map([...map].filter(([key]) => !isWithin(key, path)));
}

/** Returns undefined if the record already has the field, or if a value on its path is not an object. */
function findMissingField(root: JsonNode, fieldPath: string): OpenedField | undefined {
  // As in the record table, a member whose own name contains dots takes precedence.
  if (fieldPath === '' || nodeAt(root, [fieldPath]) !== undefined) return undefined;
  const path = fieldPath.split('.');
  let node = root;
  for (const [existingDepth, name] of path.entries()) {
    if (node.type !== 'object') return undefined;
    const inner = nodeAt(node, [name]);
    if (inner === undefined) return { path, existingDepth, isNull: false };
    node = inner;
  }
  return undefined;
}

/** Returns the fields that the record lacks and that have no input yet. */
export function missingFields({ text, openedFields }: Draft, fields: readonly Field[]): Field[] {
  const root = parseJson(text);
  return fields.filter(({ path }) => {
    const missingField = findMissingField(root, path);
    return missingField !== undefined && !openedFields.has(keyOf(missingField.path));
  });
}

export function openMissingField(draft: Draft, fieldPath: string): Draft {
  const missingField = findMissingField(parseJson(draft.text), fieldPath);
  if (missingField === undefined) return draft;
  return { ...draft, openedFields: new Map(draft.openedFields).set(keyOf(missingField.path), missingField) };
}

export function openNullField(draft: Draft, path: JsonPath): Draft {
  const openedFields = new Map(draft.openedFields).set(keyOf(path), { path, existingDepth: path.length, isNull: true });
  return { ...draft, openedFields };
}

/** @param presetFields fields that get an input even without a value */
export function startDraft(text: string, presetFields: readonly Field[] = []): Draft {
  const draft: Draft = { text, typedInputs: new Map(), openedFields: new Map() };
  if (presetFields.length === 0) return draft;
  const root = parseJson(text);
  const newFields = presetFields.map(({ path }) => findMissingField(root, path)).filter((field) => field !== undefined);
  return { ...draft, openedFields: new Map(newFields.map((field) => [keyOf(field.path), field])) };
}

/** Returns true if an input at or below the path contains text that its control does not accept. */
export function hasInvalidInput({ typedInputs }: Draft, path: JsonPath = []): boolean {
  return [...typedInputs].some(([key, { isInvalid }]) => isInvalid && (path.length === 0 || isWithin(key, path)));
}

/** Restores null, or removes the field and then the parent objects that were created for it and are now empty. */
function clearOpenedField(text: string, { path, existingDepth, isNull }: OpenedField): string {
  if (isNull) return setValue(text, path, 'null');
  let remainingText = removeMember(text, path);
  for (let depth = path.length - 1; depth > existingDepth; depth -= 1) {
    const node = nodeAt(parseJson(remainingText), path.slice(0, depth));
    if (node?.type !== 'object' || membersOf(node).length > 0) break;
    remainingText = removeMember(remainingText, path.slice(0, depth));
  }
  return remainingText;
}

/** Empty text clears an opened field. The JSON stays unchanged if the control does not accept the text. */
export function typeInput(
  draft: Draft,
  path: JsonPath,
  control: InputControl,
  text: string,
  language: Language,
): Draft {
  const withTypedInput = (json: string, isInvalid = false): Draft => ({
    ...draft,
    text: json,
    typedInputs: new Map(draft.typedInputs).set(keyOf(path), { control, text, isInvalid }),
  });
  const openedField = draft.openedFields.get(keyOf(path));
  if (openedField !== undefined && text.trim() === '') return withTypedInput(clearOpenedField(draft.text, openedField));
  const json = jsonOfInput(control, text, language);
  return json === undefined ? withTypedInput(draft.text, true) : withTypedInput(setValue(draft.text, path, json));
}

/** @param elements JSON texts; without elements, an opened field is missing or null again, as it was in the record */
export function setElements(draft: Draft, path: JsonPath, elements: readonly string[]): Draft {
  const openedField = elements.length === 0 ? draft.openedFields.get(keyOf(path)) : undefined;
  return {
    ...draft,
    text:
      openedField === undefined
        ? setValue(draft.text, path, arrayText(elements, path.length))
        : clearOpenedField(draft.text, openedField),
    typedInputs: removeKeysWithin(draft.typedInputs, path),
  };
}

export function setNull(draft: Draft, path: JsonPath): Draft {
  return {
    text: setValue(draft.text, path, 'null'),
    typedInputs: removeKeysWithin(draft.typedInputs, path),
    openedFields: removeKeysWithin(draft.openedFields, path),
  };
}

export function removeField(draft: Draft, path: JsonPath): Draft {
  const openedField = draft.openedFields.get(keyOf(path));
  return {
    text: openedField?.isNull === false ? clearOpenedField(draft.text, openedField) : removeMember(draft.text, path),
    typedInputs: removeKeysWithin(draft.typedInputs, path),
    openedFields: removeKeysWithin(draft.openedFields, path),
  };
}
