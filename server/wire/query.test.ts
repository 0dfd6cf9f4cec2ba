import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  bundleSchema,
  combinatorSchema,
  filterSchema,
  mappingSchema,
  MAX_COMBINATOR_ENTRIES,
  MAX_ENTRY_FILTERS,
  MAX_MAPPING_DEPTH,
  MAX_MAPPING_FIELDS,
  namedBundleSchema,
} from './query.ts';

const problemsOf = (schema: z.ZodType, value: unknown): string[] => {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};

const entry = {
  endpoint: 'rumpel/locations/ios',
  mapping: { latitude: 'data.locations.latitude' },
  filters: [
    {
      field: 'data.dateCreated',
      transformation: { transformation: 'datetimeExtract', part: 'hour' },
      operator: { operator: 'between', lower: 7, upper: 9 },
    },
  ],
};

describe('a combinator', () => {
  it('accepts entries with and without mapping and filters, and null for them', () => {
    expect(combinatorSchema.parse([entry])).toEqual([entry]);
    expect(combinatorSchema.parse([{ endpoint: 'a/b' }])).toEqual([{ endpoint: 'a/b' }]);
    expect(problemsOf(combinatorSchema, [{ endpoint: 'a/b', mapping: null, filters: null }])).toEqual([]);
  });

  it('has between one and the maximum number of entries, and a maximum number of filters', () => {
    expect(problemsOf(combinatorSchema, [])).toHaveLength(1);
    expect(
      problemsOf(
        combinatorSchema,
        Array.from({ length: MAX_COMBINATOR_ENTRIES + 1 }, () => ({ endpoint: 'a/b' })),
      ),
    ).toHaveLength(1);
    const filters = Array.from({ length: MAX_ENTRY_FILTERS + 1 }, () => entry.filters[0]);
    expect(problemsOf(combinatorSchema, [{ endpoint: 'a/b', filters }])).toHaveLength(1);
  });

  it('is rejected with an unknown member, which the error names, or an invalid endpoint', () => {
    expect(problemsOf(combinatorSchema, [{ ...entry, limits: 5 }])).toEqual(['0: Unrecognized key: "limits"']);
    expect(problemsOf(combinatorSchema, [{ endpoint: 'nowhere' }])).toHaveLength(1);
  });
});

describe('a filter', () => {
  const operator = { operator: 'in', value: [1] };
  const findOperator = { operator: 'find', search: 'x' };
  const searchable = { transformation: 'searchable' };

  it.each([
    { field: 'a', operator },
    { field: 'a', operator: { operator: 'contains', value: null } },
    { field: 'a', operator: { operator: 'between', lower: false, upper: {} } },
    { field: 'a', transformation: { transformation: 'identity' }, operator },
    { field: 'a', transformation: null, operator },
    { field: 'a', transformation: { transformation: 'timestampExtract', part: 'timezone_hour' }, operator },
    { field: 'a', transformation: searchable, operator: findOperator },
  ])('%j is accepted', (filter) => {
    expect(problemsOf(filterSchema, filter)).toEqual([]);
  });

  it.each([
    ['find without searchable', { field: 'a', operator: findOperator }],
    ['find with identity', { field: 'a', transformation: { transformation: 'identity' }, operator: findOperator }],
    ['searchable without find', { field: 'a', transformation: searchable, operator }],
    [
      'a search without a word',
      { field: 'a', transformation: searchable, operator: { operator: 'find', search: ' …! ' } },
    ],
    ['an unknown operator', { field: 'a', operator: { operator: 'like', value: 1 } }],
    ['an unknown transformation', { field: 'a', transformation: { transformation: 'upper' }, operator }],
    ['an unknown part', { field: 'a', transformation: { transformation: 'datetimeExtract', part: 'hours' }, operator }],
    ['a missing part', { field: 'a', transformation: { transformation: 'datetimeExtract' }, operator }],
    [
      'a part where none is allowed',
      { field: 'a', transformation: { transformation: 'identity', part: 'hour' }, operator },
    ],
    ['a missing value', { field: 'a', operator: { operator: 'in' } }],
    ['a missing bound', { field: 'a', operator: { operator: 'between', lower: 1 } }],
    ['a string as the operator', { field: 'a', operator: 'in', value: 1 }],
    ['no operator', { field: 'a' }],
    ['no field', { operator }],
    ['an empty field', { field: '', operator }],
    ['a lone surrogate', { field: 'a', operator: { operator: 'in', value: [{ x: '\ud800' }] } }],
    ['a lone surrogate in a field', { field: 'a\udc00', operator }],
    ['an unknown key', { field: 'a', operator, negate: true }],
  ])('is rejected with %s', (_, filter) => {
    expect(problemsOf(filterSchema, filter)).not.toEqual([]);
  });
});

describe('a mapping', () => {
  const nestedMapping = {
    'people[]': { source: 'attendees[]', mappings: { who: 'name', at: { source: 'place', mappings: {} } } },
  };

  it('is an object of paths and nested mappings', () => {
    expect(mappingSchema.parse(nestedMapping)).toEqual(nestedMapping);
    expect(mappingSchema.parse({})).toEqual({});
  });

  it.each([
    ['a number as the source', { a: 5 }],
    ['null as the source', { a: null }],
    ['a boolean as the source', { a: true }],
    ['an array as the source', { a: ['b'] }],
    ['an empty path', { a: '' }],
    ['an object without mappings', { a: { source: 'b' } }],
    ['an object without a source', { a: { mappings: {} } }],
    ['an object with an unknown key', { a: { source: 'b', mappings: {}, limit: 1 } }],
    ['an empty name', { '': 'a' }],
  ])('is rejected with %s', (_, mapping) => {
    expect(problemsOf(mappingSchema, mapping)).not.toEqual([]);
  });

  it.each([[[]], ['a'], [5], [null]])('cannot be %j', (mapping) => {
    expect(problemsOf(mappingSchema, mapping)).not.toEqual([]);
  });

  it('is rejected with a field named __proto__', () => {
    const refusal = 'the name "__proto__" is not allowed';
    for (const text of ['{"__proto__":"a"}', '{"a.__proto__.b":"a"}', '{"__proto__[]":"a"}']) {
      expect(problemsOf(mappingSchema, JSON.parse(text)).join(), text).toContain(refusal);
    }
    const forbiddenMapping: unknown = JSON.parse('{"a":{"source":"b","mappings":{"__proto__":"c"}}}');
    expect(problemsOf(mappingSchema, forbiddenMapping)).not.toEqual([]);
  });

  it('has a maximum number of fields and a maximum depth', () => {
    const wideMapping = Object.fromEntries(
      Array.from({ length: MAX_MAPPING_FIELDS + 1 }, (_, index) => [`f${index}`, 'a']),
    );
    expect(problemsOf(mappingSchema, wideMapping)).toHaveLength(1);
    let deepMapping: object = { a: 'b' };
    for (let level = 0; level < MAX_MAPPING_DEPTH; level += 1)
      deepMapping = { a: { source: 'b', mappings: deepMapping } };
    expect(problemsOf(mappingSchema, deepMapping)).toHaveLength(1);
  });
});

describe('a bundle', () => {
  it('maps names of properties to queries, and can have a name itself', () => {
    const bundle = {
      'a property': { endpoints: [entry], limit: 0, orderBy: 'data.date', ordering: 'descending' },
      b: { endpoints: [entry] },
    };
    expect(bundleSchema.parse(bundle)).toEqual(bundle);
    expect(namedBundleSchema.parse({ name: 'my-bundle', bundle })).toEqual({ name: 'my-bundle', bundle });
  });

  it.each([
    ['no property', {}],
    ['no endpoints', { a: { limit: 5 } }],
    ['an empty list of endpoints', { a: { endpoints: [] } }],
    ['a limit below zero', { a: { endpoints: [entry], limit: -1 } }],
    ['a limit that is not whole', { a: { endpoints: [entry], limit: 1.5 } }],
    ['an unknown ordering', { a: { endpoints: [entry], ordering: 'up' } }],
    ['an unknown key', { a: { endpoints: [entry], order: 'x' } }],
    ['a property named __proto__', JSON.parse('{"__proto__":{"endpoints":[{"endpoint":"a/b"}]}}')],
  ])('is rejected with %s', (_, bundle) => {
    expect(problemsOf(bundleSchema, bundle)).not.toEqual([]);
  });

  it('can be described in an OpenAPI document', () => {
    const jsonSchema = JSON.stringify(z.toJSONSchema(namedBundleSchema, { io: 'input' }));
    for (const word of ['datetimeExtract', 'timezone_minute', 'mappings', 'ordering', 'CombinatorEntry'])
      expect(jsonSchema).toContain(word);
  });
});
