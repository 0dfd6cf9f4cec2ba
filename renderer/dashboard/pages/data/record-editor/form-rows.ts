import { getNodeValue } from 'jsonc-parser';
import { displayNameOf } from '../../../../../server/wire/display-name.ts';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import type { Language } from '../../../../shared/format/languages.ts';
import { findJsonProblem } from '../../../../shared/form/json-problem.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { formatField } from '../records/field-format.ts';
import { nameWithoutUnit } from '../records/field-name.ts';
import { type Control, controlOf, emptyControl } from './controls.ts';
import { type Draft, type OpenedField, keyOf, startDraft } from './draft.ts';
import { type JsonNode, type JsonPath, membersOf, nodeAt, parseJson } from './json-edits.ts';

// Arranges a draft as form rows: one per value, and groups for nested objects.

export interface FieldRow {
  kind: 'field';
  key: string;
  path: JsonPath;
  /** Includes the unit. */
  label: string;
  /** Reason why the value does not match its field type. */
  hint: string | undefined;
  control: Control;
  elements: readonly FieldRow[];
  /** True if the control does not accept its text. */
  isInvalid: boolean;
  /** True if the field is missing or null while its input is empty. */
  isOptional: boolean;
}

export interface GroupRow {
  kind: 'group';
  key: string;
  path: JsonPath;
  label: string;
  rows: readonly FormRow[];
}

export type FormRow = FieldRow | GroupRow;

/** Objects nested deeper than this are edited as JSON. */
const MAX_GROUP_DEPTH = 3;
/** Larger records can only be edited as JSON. */
const FORM_MAX_CHARS = 256_000;
const MAX_FORM_INPUTS = 200;
const HINT_VALUE_MAX_CHARS = 100;

interface FormContext {
  draft: Draft;
  fields: ReadonlyMap<string, Field>;
  language: Language;
}

function labelOf(path: JsonPath, field: Field | undefined): string {
  const name = String(path.at(-1));
  const label = withoutBidiControls(field === undefined ? displayNameOf(name) : nameWithoutUnit(field)).trim();
  // A member may have an empty name.
  const visibleLabel = label === '' ? JSON.stringify(withoutBidiControls(name)) : label;
  return field === undefined || field.unit === '' ? visibleLabel : m.data.endpoint.withUnit(visibleLabel, field.unit);
}

/** Returns why a value does not match its field type; undefined if it matches. */
function hintOf(node: JsonNode, field: Field): string | undefined {
  const isNested = node.type === 'object' || node.type === 'array';
  const emptyValue: unknown = node.type === 'array' ? [] : {};
  const value: unknown = isNested && field.type !== 'geoJson' ? emptyValue : getNodeValue(node);
  const { kind, title } = formatField(value, field, HINT_VALUE_MAX_CHARS);
  return kind === 'exception' ? title : undefined;
}

function fieldRow(context: FormContext, path: JsonPath, node: JsonNode | undefined, label = ''): FieldRow {
  const { draft, fields, language } = context;
  const key = keyOf(path);
  const field = fields.get(path.join('.'));
  const valueType = field ?? { path: path.join('.'), type: 'text' as const, unit: '' };
  const typedInput = draft.typedInputs.get(key);
  const isOptional = draft.openedFields.has(key);
  const isEmpty = node === undefined || (node.type === 'null' && isOptional);
  const storedControl = isEmpty ? emptyControl(valueType) : controlOf(draft.text, node, valueType, language);
  const control = typedInput === undefined ? storedControl : { ...typedInput.control, text: typedInput.text };
  return {
    kind: 'field',
    key,
    path,
    label: label === '' ? labelOf(path, field) : label,
    hint: node === undefined || field === undefined ? undefined : hintOf(node, field),
    control,
    elements: control.kind === 'list' ? elementRows(context, path, node) : [],
    isInvalid: typedInput?.isInvalid ?? false,
    isOptional,
  };
}

const NO_FIELDS: FormContext['fields'] = new Map();

const elementRows = (context: FormContext, list: JsonPath, node: JsonNode | undefined): FieldRow[] =>
  (node?.children ?? []).map((element, index) =>
    fieldRow({ ...context, fields: NO_FIELDS }, [...list, index], element, String(index + 1)),
  );

const isGeometry = (node: JsonNode): boolean =>
  membersOf(node).some(({ name, value }) => name === 'coordinates' && value.type === 'array');

function isGroup(node: JsonNode, path: JsonPath, { draft, fields }: FormContext): boolean {
  if (node.type !== 'object' || membersOf(node).length === 0 || path.length > MAX_GROUP_DEPTH) return false;
  // Text that the owner types as JSON stays in its input.
  if (draft.typedInputs.has(keyOf(path))) return false;
  return fields.get(path.join('.'))?.type !== 'geoJson' && !isGeometry(node);
}

function memberRows(node: JsonNode, path: JsonPath, context: FormContext): FormRow[] {
  return membersOf(node).flatMap(({ name, value }): FormRow[] => {
    const innerPath = [...path, name];
    const key = keyOf(innerPath);
    // Opened fields that the record lacked have their own rows at the end.
    if (context.draft.openedFields.get(key)?.isNull === false) return [];
    if (!isGroup(value, innerPath, context)) return [fieldRow(context, innerPath, value)];
    const rows = memberRows(value, innerPath, context);
    if (rows.length === 0) return [];
    return [{ kind: 'group', key, path: innerPath, label: labelOf(innerPath, undefined), rows }];
  });
}

/** Returns the label of a field outside its group: with the name of the containing object, if there is one. */
export function fieldLabel(path: JsonPath, field: Field | undefined): string {
  const ownLabel = labelOf(path, field);
  return path.length === 1 ? ownLabel : m.data.endpoint.innerName(labelOf(path.slice(0, -1), undefined), ownLabel);
}

const addedRow = (root: JsonNode, { path }: OpenedField, context: FormContext): FieldRow =>
  fieldRow(context, path, nodeAt(root, path), fieldLabel(path, context.fields.get(path.join('.'))));

/** Opened fields that the record lacked come last. */
export function formRows(draft: Draft, fields: readonly Field[], language: Language): FormRow[] {
  const root = parseJson(draft.text);
  const context = { draft, fields: new Map(fields.map((field) => [field.path, field])), language };
  const addedFields = [...draft.openedFields.values()].filter(({ isNull }) => !isNull);
  return [...memberRows(root, [], context), ...addedFields.map((field) => addedRow(root, field, context))];
}

function countInputs(rows: readonly FormRow[]): number {
  return rows.reduce((sum, row) => {
    if (row.kind === 'group') return sum + countInputs(row.rows);
    return sum + (row.control.kind === 'list' ? Math.max(1, row.control.elements.length) : 1);
  }, 0);
}

export type FormProblem = 'invalid' | 'large' | 'manyFields' | 'notObject';

/** Returns why a record cannot be edited as a form; undefined if it can. */
export function findFormProblem(text: string, fields: readonly Field[], language: Language): FormProblem | undefined {
  if (text.length > FORM_MAX_CHARS) return 'large';
  if (findJsonProblem(text) !== undefined) return 'invalid';
  if (parseJson(text).type !== 'object') return 'notObject';
  return countInputs(formRows(startDraft(text), fields, language)) > MAX_FORM_INPUTS ? 'manyFields' : undefined;
}
