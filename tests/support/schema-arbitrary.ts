import fc from 'fast-check';
import type { JsonSchema, OpenApi } from './openapi.ts';

/**
 * Ids that the server returned during the run, by name. Without them, requests for existing resources would never
 * succeed.
 */
export class SeenIds {
  readonly #values = new Map<string, string[]>();

  collect(text: string): void {
    for (const [, name = '', value = ''] of text.slice(0, 20_000).matchAll(/"(\w+Id|id)":"([0-9a-f-]{36})"/gu))
      this.#keep(name, value);
    for (const [, value = ''] of text.slice(0, 20_000).matchAll(/"fileId":"([\w.-]{1,200})"/gu))
      this.#keep('fileId', value);
    const ticket = /\/owner\/exports\/([\w-]+)"/u.exec(text)?.[1];
    if (ticket !== undefined) this.#keep('ticket', ticket);
  }

  #keep(name: string, value: string): void {
    const ids = this.#values.get(name) ?? [];
    ids.push(value);
    if (ids.length > 200) ids.splice(0, 100);
    this.#values.set(name, ids);
  }

  /** Returns one of the ids, counted from the newest, which most likely still exists; a made-up id if there is none. */
  at(name: string, number: number): string {
    const ids = this.#values.get(name) ?? [];
    return ids.at(-1 - (number % Math.max(1, ids.length))) ?? '019bc186-de00-7000-8937-015a1f841fa9';
  }
}

/** Placeholder for an id that is chosen when the request is sent. */
export const SEEN_ID_PLACEHOLDER = /seen-(\w+)-(\d+)/gu;

/** Kind of id that a parameter or member takes, by its name. */
const ID_NAMES: Record<string, string> = {
  records: 'recordId',
  sessionId: 'id',
  ticket: 'ticket',
  recordId: 'recordId',
  deletionId: 'deletionId',
  importId: 'importId',
  fileId: 'fileId',
  userId: 'userId',
};

/** Names from which requests choose, so that they find records of earlier requests. */
const NAMES = [
  'gen',
  'a',
  'b',
  'a/b',
  'gen/a',
  'gen/b',
  'gen/c/d',
  'Ünï',
  'x-y_z.1~',
  '__proto__',
  'constructor/prototype',
  'sources',
  'structure',
  'a/structure',
];

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '.',
  '..',
  '../../etc/passwd',
  '/',
  '//',
  'a//b',
  '%00',
  '%',
  '%zz',
  "' OR 1=1 --",
  '"; DROP TABLE records; --',
  '`id`',
  '$(id)',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '\u202e',
  '\u200b',
  '😀',
  'e\u0301',
  '\ufeff',
  '\ud800',
  'a\udfff',
  '\u2028',
  '\r\nset-cookie: a=b',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e400',
  '9007199254740993',
  '0x10',
  '1.5',
  'true',
  'a'.repeat(201),
  'a'.repeat(3000),
  'a.b[0].c[]',
  'data.',
  '[',
  ']',
  'a[',
  'a[-1]',
  'a[99999999999]',
  '$.a',
  '*',
  '%_\\',
  '(a+)+$',
  '2026-02-30T25:61:00Z',
  '__proto__',
  'toString',
  'sandbox:',
  'file:///etc/passwd',
  'http://127.0.0.1/',
];

const HOSTILE_NUMBERS = [0, -0, -1, 0.5, 1e21, -1e21, 2 ** 31, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE];

const hostileText = fc.constantFrom(...HOSTILE_TEXTS);
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(...HOSTILE_NUMBERS) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      {},
      [],
      [[]],
      null,
      { a: { b: [1, { c: null }] } },
      { start: '2026-01-31T09:30:00Z', n: 1_700_000_000 },
    ),
  },
);

export type Generation = { document: OpenApi; isHostile: boolean };

const isAllowed = (schema: JsonSchema, text: string): boolean =>
  (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text)) &&
  text.length >= (schema.minLength ?? 0) &&
  text.length <= (schema.maxLength ?? Infinity);

const textOf = (schema: JsonSchema, generation: Generation, name: string): fc.Arbitrary<unknown> => {
  const idName = ID_NAMES[name];
  const placeholders = fc.nat(20).map((number) => `seen-${idName}-${number}`);
  if (idName !== undefined)
    return fc.oneof({ weight: 6, arbitrary: placeholders }, { weight: 1, arbitrary: fc.uuid() });
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  const isNumeric = schema.pattern !== undefined && /^\^?\\d/u.test(schema.pattern);
  if (name === 'offset') return fc.constantFrom('0', '0', '0', '8');
  if (isNumeric) return fc.oneof(fc.nat(50).map(String), fc.nat(999).map(String));
  const allowedNames = NAMES.filter((candidate) => isAllowed(schema, candidate));
  const regularText = allowedNames.length > 0 ? fc.constantFrom(...allowedNames) : fc.string({ maxLength: 20 });
  if (!generation.isHostile) return regularText;
  return fc.oneof(
    { weight: 8, arbitrary: regularText },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
    { weight: 1, arbitrary: hostileText },
  );
};

const objectOf = (schema: JsonSchema, generation: Generation, depth: number): fc.Arbitrary<unknown> => {
  const properties = Object.entries(schema.properties ?? {});
  const members = Object.fromEntries(
    properties.map(([name, member]) => [name, valueOf(member, generation, name, depth + 1)]),
  );
  const knownMembers = fc.record(members, { requiredKeys: schema.required ?? [] });
  const { additionalProperties: additionalSchema } = schema;
  if (properties.length > 0 || additionalSchema === false) return knownMembers;
  const value = typeof additionalSchema === 'object' ? valueOf(additionalSchema, generation, '', depth + 1) : anyJson;
  const keys = fc.constantFrom('a', 'b.c', 'd[]');
  return fc.dictionary(generation.isHostile ? fc.oneof(keys, fc.string({ maxLength: 5 }), hostileText) : keys, value, {
    minKeys: generation.isHostile ? 0 : 1,
    maxKeys: 3,
  });
};

const resolve = (schema: JsonSchema, document: OpenApi): JsonSchema => {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
};

const validValueOf = (
  input: JsonSchema,
  generation: Generation,
  name: string,
  depth: number,
): fc.Arbitrary<unknown> => {
  const schema = resolve(input, generation.document);
  // The schema of mappings is recursive.
  if (depth > 12) return fc.constant('a');
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(choice, generation, name, depth + 1)));
  if (schema.allOf?.[0] !== undefined) return valueOf(schema.allOf[0], generation, name, depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return textOf(schema, generation, name);
    case 'integer':
    case 'number':
      // Sizes of the uploaded files, so that some uploads complete.
      if (name === 'size') return fc.constantFrom(8, 13);
      return fc.integer({
        min: Math.max(schema.minimum ?? -5, -1000),
        max: Math.min(schema.maximum ?? 1000, 1_000_000),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, generation, name, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
      });
    case 'object':
      return objectOf(schema, generation, depth);
    default:
      return anyJson;
  }
};

/** Generates values of a schema. Hostile generation includes values that violate it. */
export const valueOf = (schema: JsonSchema, generation: Generation, name = '', depth = 0): fc.Arbitrary<unknown> => {
  const validValue = fc.constant(null).chain(() => validValueOf(schema, generation, name, depth));
  return generation.isHostile
    ? fc.oneof({ weight: 15, arbitrary: validValue }, { weight: 1, arbitrary: anyJson })
    : validValue;
};
