import { COLOUR_TEXT, EMAIL_TEXT, LINK_TEXT } from '../../../../../server/wire/value-patterns.ts';
import type { Language } from '../../../../shared/format/languages.ts';
import { findJsonProblem } from '../../../../shared/form/json-problem.ts';
import type { ValueType } from '../records/field-format.ts';
import { type JsonNode, indentJson, nodeText } from './json-edits.ts';
import { numberInputText, parseNumberInput } from './number-input.ts';
import { type TimeForm, inputTimeOf, newTimeForm, jsonOfTime } from './time-input.ts';

// Chooses the control for a value by its JSON and field type, and converts between input text and JSON.

export type InputControl = {
  kind: 'text' | 'link' | 'email' | 'colour' | 'number' | 'boolean' | 'date' | 'dateTime' | 'json';
  /** Input text; `true`, `false` or empty for a Boolean. */
  text: string;
  /** True for JSON, and for plain text (`kind: 'text'`) with several lines or more than `LINE_MAX_CHARS` characters. */
  isMultiline: boolean;
  /** True if lines end with CR LF. Inputs use LF. */
  hasCrLf: boolean;
  time?: TimeForm;
};
export type ListControl = {
  kind: 'list';
  /** JSON texts. */
  elements: readonly string[];
  elementType: ElementType | 'unknown';
};
export type ElementType = 'text' | 'number';
export type Control = InputControl | ListControl | { kind: 'null' };

/** Longer plain texts get a multi-line input. */
const LINE_MAX_CHARS = 80;
/** Longer lists are edited as JSON. */
export const MAX_LIST_ELEMENTS = 100;

function inputControl(kind: InputControl['kind'], text: string, overrides: Partial<InputControl> = {}): InputControl {
  return { kind, text, isMultiline: false, hasCrLf: false, ...overrides };
}

/** Returns undefined if the field's type has no special control, or if the string does not match it. */
function typedTextControl(text: string, field: ValueType): InputControl | undefined {
  const time = inputTimeOf({ text }, field);
  if (time !== undefined)
    return inputControl(time.form.kind === 'day' ? 'date' : 'dateTime', time.text, { time: time.form });
  switch (field.type) {
    case 'link':
    case 'image':
      return isLink(text) ? inputControl('link', text) : undefined;
    case 'email':
      return EMAIL_TEXT.test(text) ? inputControl('email', text) : undefined;
    case 'colour':
      return COLOUR_TEXT.test(text) ? inputControl('colour', text) : undefined;
    default:
      return undefined;
  }
}

function textControl(text: string, json: string, field: ValueType): InputControl {
  const textWithLf = text.replaceAll('\r\n', '\n');
  const hasCrLf = textWithLf !== text;
  // A text input cannot preserve lone CRs or mixed line endings.
  if (textWithLf.includes('\r') || (hasCrLf && textWithLf.replaceAll('\n', '\r\n') !== text)) return jsonControl(json);
  const typedControl = hasCrLf ? undefined : typedTextControl(text, field);
  return (
    typedControl ??
    inputControl('text', textWithLf, {
      isMultiline: textWithLf.length > LINE_MAX_CHARS || textWithLf.includes('\n'),
      hasCrLf,
    })
  );
}

const jsonControl = (json: string): InputControl => inputControl('json', indentJson(json), { isMultiline: true });

/** Returns undefined for a list that is too long, or whose elements are not all strings or all numbers. */
function elementTypeOf(elements: readonly JsonNode[]): ListControl['elementType'] | undefined {
  if (elements.length > MAX_LIST_ELEMENTS) return undefined;
  if (elements.length === 0) return 'unknown';
  if (elements.every(({ type }) => type === 'string')) return 'text';
  return elements.every(({ type }) => type === 'number') ? 'number' : undefined;
}

/** A value that does not match its field's type gets the control for its own type. */
export function controlOf(text: string, node: JsonNode, field: ValueType, language: Language): Control {
  const json = nodeText(text, node);
  switch (node.type) {
    case 'null':
      return { kind: 'null' };
    case 'boolean':
      return inputControl('boolean', json);
    case 'number': {
      const time = inputTimeOf({ number: json }, field);
      return time === undefined
        ? inputControl('number', numberInputText(json, language))
        : inputControl('dateTime', time.text, { time: time.form });
    }
    case 'string':
      return textControl(String(node.value), json, field);
    case 'array': {
      const elements = node.children ?? [];
      const elementType = elementTypeOf(elements);
      return elementType === undefined
        ? jsonControl(json)
        : { kind: 'list', elementType, elements: elements.map((element) => nodeText(text, element)) };
    }
    default:
      return jsonControl(json);
  }
}

export function emptyControl(field: ValueType): Control {
  const time = newTimeForm(field);
  if (time !== undefined) return inputControl(time.kind === 'day' ? 'date' : 'dateTime', '', { time });
  switch (field.type) {
    case 'number':
    case 'money':
    case 'duration':
    case 'latitude':
    case 'longitude':
      return inputControl('number', '');
    case 'date':
      return inputControl(field.timeFormat === 'year' ? 'number' : 'text', '');
    case 'boolean':
    case 'email':
    case 'colour':
    case 'link':
      return inputControl(field.type, '');
    case 'image':
      return inputControl('link', '');
    case 'list':
      return { kind: 'list', elements: [], elementType: 'unknown' };
    case 'object':
    case 'geoJson':
      return inputControl('json', '', { isMultiline: true });
    default:
      return inputControl('text', '');
  }
}

const isLink = (text: string): boolean => LINK_TEXT.test(text) && URL.canParse(text);

/** Converts input text to JSON. Returns undefined if the control does not accept the text. */
export function jsonOfInput(
  { kind, hasCrLf, time }: Pick<InputControl, 'kind' | 'hasCrLf' | 'time'>,
  text: string,
  language: Language,
): string | undefined {
  const jsonStringIf = (isValid: boolean): string | undefined => (isValid ? JSON.stringify(text) : undefined);
  switch (kind) {
    case 'text':
      return JSON.stringify(hasCrLf ? text.replaceAll('\n', '\r\n') : text);
    case 'link':
      return jsonStringIf(text === '' || isLink(text));
    case 'email':
      return jsonStringIf(text === '' || EMAIL_TEXT.test(text));
    case 'colour':
      return jsonStringIf(text === '' || COLOUR_TEXT.test(text));
    case 'number':
      return parseNumberInput(text, language);
    case 'boolean':
      return text === 'true' || text === 'false' ? text : undefined;
    case 'date':
    case 'dateTime':
      return time === undefined ? undefined : jsonOfTime(text, time);
    case 'json':
      return findJsonProblem(text) === undefined ? text.trim() : undefined;
  }
}
