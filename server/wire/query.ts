import { z } from 'zod';
import { endpointSchema, NOT_WELL_FORMED, pathNameSchema, wellFormedText } from './common.ts';
import { DATE_PARTS } from './date-parts.ts';
import { isDisplayLine, NOT_A_DISPLAY_LINE } from './display-text.ts';
import { isObject } from './values.ts';

export type { DatePart } from './date-parts.ts';

export const MAX_COMBINATOR_ENTRIES = 100;
export const MAX_ENTRY_FILTERS = 50;
/** Output fields of a mapping, including nested mappings. */
export const MAX_MAPPING_FIELDS = 1000;
export const MAX_MAPPING_DEPTH = 10;
const MAX_BUNDLE_PROPERTIES = 100;
/** Length of a path into stored data, and of the name of an output field or bundle property. */
const MAX_FIELD_CHARS = 500;
const MAX_SEARCH_CHARS = 1000;

/** Returns false for unpaired surrogates, which cannot be stored and which SQL drivers change. */
const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
};

const fieldSchema = wellFormedText.min(1).max(MAX_FIELD_CHARS);

/** Any JSON value, required: an operator without a value would compare with nothing. */
const operandSchema = z
  .unknown()
  .refine((value) => value !== undefined, 'is required')
  .refine(isWellFormed, NOT_WELL_FORMED)
  .meta({ description: 'Any JSON value' });

const partSchema = z.enum(DATE_PARTS).meta({ description: '`dow`: Sunday is 0; `isodow`: Monday is 1' });

const transformationSchema = z
  .discriminatedUnion('transformation', [
    z.strictObject({ transformation: z.literal('identity') }),
    z.strictObject({ transformation: z.literal('datetimeExtract'), part: partSchema }),
    z.strictObject({ transformation: z.literal('timestampExtract'), part: partSchema }),
    z.strictObject({ transformation: z.literal('searchable') }),
  ])
  .meta({
    id: 'Transformation',
    description:
      'Applied to the field before the operator. `datetimeExtract`: a part of an ISO 8601 date; `timestampExtract`: a part of a time in Unix seconds; both in UTC. `searchable`: only together with the operator `find`.',
  });

const operatorSchema = z
  .discriminatedUnion('operator', [
    z.strictObject({ operator: z.literal('in'), value: operandSchema }),
    z.strictObject({ operator: z.literal('contains'), value: operandSchema }),
    z.strictObject({ operator: z.literal('between'), lower: operandSchema, upper: operandSchema }),
    z.strictObject({
      operator: z.literal('find'),
      search: wellFormedText
        .max(MAX_SEARCH_CHARS)
        // Without a word, every text would match "all words".
        .regex(/[\p{L}\p{N}]/u, 'must contain a letter or digit'),
    }),
  ])
  .meta({
    id: 'Operator',
    description:
      '`in`: the field is contained in the value; `contains`: the field contains the value; `between`: lower < field < upper, both ends exclusive; `find`: all words of `search` occur in the field.',
  });

/** `find` requires `searchable` and vice versa: an incomplete pair must not match everything. */
export const filterSchema = z
  .strictObject({
    field: fieldSchema.meta({
      description: 'Path in the stored JSON: `data.start.hour`, `tags[0]`',
      example: 'data.start',
    }),
    transformation: transformationSchema.nullish(),
    operator: operatorSchema,
  })
  .superRefine((filter, context) => {
    const isSearchable = filter.transformation?.transformation === 'searchable';
    if (filter.operator.operator === 'find' && !isSearchable) {
      context.addIssue({
        code: 'custom',
        path: ['transformation'],
        message: 'must be searchable if the operator is find',
      });
    }
    if (isSearchable && filter.operator.operator !== 'find') {
      context.addIssue({
        code: 'custom',
        path: ['operator'],
        message: 'must be find if the transformation is searchable',
      });
    }
  })
  .meta({ id: 'Filter', description: 'A condition on one field; several filters combine with logical AND' });

/** Destination path -> source path, or a nested mapping. */
export interface Mapping {
  [destination: string]: string | NestedMapping;
}

/** Maps the object at `source`, or each element of the array there if the destination ends in `[]`. */
export interface NestedMapping {
  source: string;
  mappings: Mapping;
}

/** Returns the source paths of all fields, as arrays, because a name may contain any separator. */
export const sourcePathsOf = (mapping: Mapping, base: readonly string[] = []): string[][] =>
  Object.values(mapping).flatMap((source) =>
    typeof source === 'string' ? [[...base, source]] : sourcePathsOf(source.mappings, [...base, source.source]),
  );

/** Refused as a name, because assigning a member of this name to a plain object would lose it silently. */
const FORBIDDEN_NAME = '__proto__';

const refuseProto = (value: unknown, context: z.core.$RefinementCtx): unknown => {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, FORBIDDEN_NAME))
    context.addIssue({ code: 'custom', message: `the name "${FORBIDDEN_NAME}" is not allowed`, input: value });
  return value;
};

/** Reports invalid names of output fields. Zod's record schema would only report "Invalid key". */
const checkDestinations = (value: unknown, context: z.core.$RefinementCtx): unknown => {
  if (!isObject(value)) return value;
  for (const destination of Object.keys(value)) {
    const message = findDestinationProblem(destination);
    if (message !== undefined) context.addIssue({ code: 'custom', message, input: value, path: [destination] });
  }
  return value;
};

const findDestinationProblem = (destination: string): string | undefined => {
  if (destination === '') return 'an output field needs a name';
  if (destination.length > MAX_FIELD_CHARS)
    return `the name of an output field has at most ${MAX_FIELD_CHARS} characters`;
  if (!destination.isWellFormed()) return NOT_WELL_FORMED;
  const names = destination.split('.').map((name) => name.replace(/\[\]$/u, ''));
  return names.includes(FORBIDDEN_NAME) ? `the name "${FORBIDDEN_NAME}" is not allowed` : undefined;
};

const nestedMappingSchema: z.ZodType<NestedMapping> = z
  .strictObject({
    source: fieldSchema,
    get mappings() {
      return mappingLevelSchema;
    },
  })
  .meta({ id: 'NestedMapping', description: 'Maps an object, or each element of an array, at `source`' });

const mappingLevelSchema: z.ZodType<Mapping> = z.preprocess(
  checkDestinations,
  z.record(
    z.string(),
    z.union([fieldSchema, nestedMappingSchema], {
      error: (issue) =>
        issue.code === 'invalid_union' ? 'must be a path in the stored JSON, or {source, mappings}' : undefined,
    }),
  ),
);

const measureMapping = (mapping: Mapping, depth: number): { fields: number; depth: number } => {
  const size = { fields: 0, depth };
  for (const source of Object.values(mapping)) {
    size.fields += 1;
    if (typeof source === 'string') continue;
    const nested = measureMapping(source.mappings, depth + 1);
    size.fields += nested.fields;
    size.depth = Math.max(size.depth, nested.depth);
  }
  return size;
};

export const mappingSchema = mappingLevelSchema
  .superRefine((mapping, context) => {
    const { fields, depth } = measureMapping(mapping, 1);
    if (fields > MAX_MAPPING_FIELDS)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_MAPPING_FIELDS} fields` });
    if (depth > MAX_MAPPING_DEPTH)
      context.addIssue({ code: 'custom', message: `must be nested at most ${MAX_MAPPING_DEPTH} levels deep` });
  })
  .meta({
    id: 'Mapping',
    description: 'Output field -> path in the stored record, or `{source, mappings}` for nested objects and arrays',
    example: {
      title: 'data.name',
      'when.start': 'data.start_time',
      'people[]': { source: 'data.attendees[]', mappings: { name: 'name' } },
    },
  });

const combinatorEntrySchema = z
  .strictObject({
    endpoint: endpointSchema,
    mapping: mappingSchema.nullish(),
    filters: z.array(filterSchema).max(MAX_ENTRY_FILTERS).nullish(),
  })
  .meta({ id: 'CombinatorEntry', description: 'The records of one endpoint, filtered and remapped' });

const entriesSchema = z.array(combinatorEntrySchema).min(1).max(MAX_COMBINATOR_ENTRIES);

/** Body of `POST /combinator/<name>`. */
export const combinatorSchema = entriesSchema.meta({ id: 'Combinator' });

const orderingSchema = z.enum(['ascending', 'descending']);

const bundlePropertySchema = z
  .strictObject({
    endpoints: entriesSchema,
    limit: z
      .int()
      .min(0)
      .nullish()
      .meta({ description: 'Maximum number of records for this property; without it, all' }),
    orderBy: fieldSchema.nullish().meta({ description: 'Output name of the mapping, or path in the stored JSON' }),
    ordering: orderingSchema.nullish(),
  })
  .meta({ id: 'BundleProperty' });

/** Body of `POST /data-bundle/<name>`: property name -> entries. */
export const bundleSchema = z
  .preprocess(refuseProto, z.record(z.string().min(1).max(MAX_FIELD_CHARS), bundlePropertySchema))
  .refine((bundle) => Object.keys(bundle).length > 0, 'must have at least one property')
  .refine(
    (bundle) => Object.keys(bundle).length <= MAX_BUNDLE_PROPERTIES,
    `must have at most ${MAX_BUNDLE_PROPERTIES} properties`,
  )
  .meta({ id: 'Bundle' });

/** Data Bundle object of the interface: `{name, bundle}`. */
export const namedBundleSchema = z
  .strictObject({ name: pathNameSchema, bundle: bundleSchema })
  .meta({ id: 'NamedBundle' });

const checkMappingNames = (
  mapping: Mapping,
  path: PropertyKey[],
  check: (name: string, path: PropertyKey[]) => void,
): void => {
  for (const [destination, source] of Object.entries(mapping)) {
    const destinationPath = [...path, destination];
    check(destination, destinationPath);
    if (typeof source === 'string') check(source, destinationPath);
    else {
      check(source.source, [...destinationPath, 'source']);
      checkMappingNames(source.mappings, [...destinationPath, 'mappings'], check);
    }
  }
};

/**
 * Refuses control characters in names, which the owner reads before approving a bundle. Filter values may contain them.
 */
export const checkBundleNames = (
  { bundle }: NamedBundle,
  path: PropertyKey[],
  context: z.core.$RefinementCtx,
): void => {
  const check = (name: string, namePath: PropertyKey[]): void => {
    if (isDisplayLine(name)) return;
    context.addIssue({ code: 'custom', path: namePath, message: NOT_A_DISPLAY_LINE, input: name });
  };
  for (const [property, { endpoints, orderBy }] of Object.entries(bundle)) {
    const propertyPath = [...path, 'bundle', property];
    check(property, propertyPath);
    check(orderBy ?? '', [...propertyPath, 'orderBy']);
    for (const [index, { mapping, filters }] of endpoints.entries()) {
      const entryPath = [...propertyPath, 'endpoints', index];
      checkMappingNames(mapping ?? {}, [...entryPath, 'mapping'], check);
      for (const [position, { field }] of (filters ?? []).entries())
        check(field, [...entryPath, 'filters', position, 'field']);
    }
  }
};

export const proposedBundleSchema = namedBundleSchema
  .superRefine((bundle, context) => checkBundleNames(bundle, [], context))
  .meta({ id: 'ProposedBundle' });

export type Transformation = z.infer<typeof transformationSchema>;
export type Operator = z.infer<typeof operatorSchema>;
export type Filter = z.infer<typeof filterSchema>;
export type CombinatorEntry = z.infer<typeof combinatorEntrySchema>;
export type Ordering = z.infer<typeof orderingSchema>;
export type BundleProperty = z.infer<typeof bundlePropertySchema>;
export type Bundle = z.infer<typeof bundleSchema>;
export type NamedBundle = z.infer<typeof namedBundleSchema>;
