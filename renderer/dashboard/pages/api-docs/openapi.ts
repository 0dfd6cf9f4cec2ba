// Types of an OpenAPI 3.1 document, and its conversion into operations that the page lists, groups and searches.

/** JSON Schema, limited to the keywords that the page uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Content {
  schema?: Schema;
  example?: unknown;
}

interface ApiResponse {
  description?: string;
  content?: Record<string, Content>;
}

interface RawOperation {
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; description?: string; content?: Record<string, Content> };
  responses?: Record<string, ApiResponse | { $ref: string }>;
  security?: Record<string, string[]>[];
}

export interface OpenApi {
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, unknown>>;
  security?: Record<string, string[]>[];
  components?: Record<string, Record<string, unknown>>;
}

/** Operation with all references resolved, except those in schemas. */
export interface ApiOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  group: string;
  parameters: Parameter[];
  body: { type: string; schema: Schema; required: boolean; description: string; example: unknown } | undefined;
  responses: { status: string; description: string; type: string | undefined; schema: Schema | undefined }[];
  needsToken: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function resolveReference(doc: OpenApi, ref: string): unknown {
  let value: unknown = doc;
  for (const step of ref.replace(/^#\//, '').split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined;
  }
  return value;
}

/** Resolves a reference object; the result is empty if the reference is broken. Returns any other object unchanged. */
function dereference<T extends object>(doc: OpenApi, objectOrRef: T | { $ref: string }): T {
  return '$ref' in objectOrRef && typeof objectOrRef.$ref === 'string'
    ? ((resolveReference(doc, objectOrRef.$ref) ?? {}) as T)
    : (objectOrRef as T);
}

/**
 * Resolves a schema reference. The resolved schema takes the last part of the reference as its title. Returns any other
 * schema unchanged.
 */
export function schemaOf(doc: OpenApi, schema: Schema): Schema {
  return schema.$ref === undefined
    ? schema
    : { ...((resolveReference(doc, schema.$ref) ?? {}) as Schema), title: schema.$ref.split('/').at(-1) ?? '' };
}

/** Returns the JSON content of a body, or else its first content, with the media type. */
function preferredContent(content: Record<string, Content> | undefined): [string, Content] | undefined {
  if (content === undefined) return undefined;
  return Object.entries(content).find(([type]) => type.includes('json')) ?? Object.entries(content)[0];
}

function groupOf(path: string): string {
  const steps = path
    .replace(/^\/api\/v[\d.]+\//, '')
    .replace(/^\//, '')
    .split('/');
  return steps[0] === 'owner' ? `owner/${(steps[1] ?? '').replace(/[{}]/g, '')}` : (steps[0] ?? '');
}

export function operationsOf(doc: OpenApi): ApiOperation[] {
  const operations: ApiOperation[] = [];
  for (const [path, item] of Object.entries(doc.paths ?? {})) {
    const sharedParameters = (item['parameters'] ?? []) as (Parameter | { $ref: string })[];
    for (const method of METHODS) {
      const raw = item[method] as RawOperation | undefined;
      if (raw === undefined) continue;
      const request = raw.requestBody === undefined ? undefined : dereference(doc, raw.requestBody);
      const body = preferredContent(request?.content);
      operations.push({
        id: `${method} ${path}`,
        method,
        path,
        summary: raw.summary ?? '',
        description: raw.description ?? '',
        group: raw.tags?.[0] ?? groupOf(path),
        parameters: [...sharedParameters, ...(raw.parameters ?? [])].map((parameter) =>
          dereference<Parameter>(doc, parameter),
        ),
        body:
          body === undefined
            ? undefined
            : {
                type: body[0],
                schema: body[1].schema ?? {},
                required: request?.required === true,
                description: request?.description ?? '',
                example: body[1].example,
              },
        responses: Object.entries(raw.responses ?? {}).map(([status, responseOrRef]) => {
          const response = dereference<ApiResponse>(doc, responseOrRef);
          const content = preferredContent(response.content);
          return { status, description: response.description ?? '', type: content?.[0], schema: content?.[1].schema };
        }),
        needsToken: (raw.security ?? doc.security ?? []).some((requirement) => Object.keys(requirement).length > 0),
      });
    }
  }
  return operations;
}

interface OperationGroup {
  name: string;
  description: string;
  operations: ApiOperation[];
}

/** Groups operations in the order of the document's tags; other groups follow. Omits empty groups. */
export function groupsOf(doc: OpenApi, operations: readonly ApiOperation[]): OperationGroup[] {
  const groups = new Map<string, OperationGroup>();
  for (const { name, description = '' } of doc.tags ?? []) groups.set(name, { name, description, operations: [] });
  for (const operation of operations) {
    const group = groups.get(operation.group) ?? { name: operation.group, description: '', operations: [] };
    group.operations.push(operation);
    groups.set(operation.group, group);
  }
  return [...groups.values()].filter((group) => group.operations.length > 0);
}

/** Returns true if each word of `text` occurs in the method, path, summary, description, group or a parameter name. */
export function matchesOperation(operation: ApiOperation, text: string): boolean {
  const haystack = [
    operation.method,
    operation.path,
    operation.summary,
    operation.description,
    operation.group,
    ...operation.parameters.map(({ name }) => name),
  ]
    .join(' ')
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
