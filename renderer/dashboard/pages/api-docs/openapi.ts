/** An OpenAPI 3.1 document as the page shows it: a flat list of calls, and its schemas by name. */

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
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
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

export interface ApiResponse {
  description?: string;
  content?: Record<string, Content>;
}

interface RawOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; description?: string; content?: Record<string, Content> };
  responses?: Record<string, ApiResponse | { $ref: string }>;
  security?: Record<string, string[]>[];
}

export interface OpenApi {
  openapi?: string;
  info?: { title?: string; version?: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, unknown>>;
  security?: Record<string, string[]>[];
  components?: Record<string, Record<string, unknown>>;
}

export interface ApiOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  group: string;
  parameters: Parameter[];
  body: { type: string; schema: Schema; required: boolean; description: string; example: unknown } | undefined;
  answers: { status: string; description: string; type: string | undefined; schema: Schema | undefined }[];
  needsToken: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** What a `$ref` of this document stands for. */
export function resolve(doc: OpenApi, ref: string): unknown {
  let at: unknown = doc;
  for (const step of ref.replace(/^#\//, '').split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined;
  }
  return at;
}

function follow<T extends object>(doc: OpenApi, thing: T | { $ref: string }): T {
  return '$ref' in thing && typeof thing.$ref === 'string' ? ((resolve(doc, thing.$ref) ?? {}) as T) : (thing as T);
}

export function schemaOf(doc: OpenApi, schema: Schema): Schema {
  return schema.$ref === undefined
    ? schema
    : { ...((resolve(doc, schema.$ref) ?? {}) as Schema), title: schema.$ref.split('/').at(-1) ?? '' };
}

function firstContent(content: Record<string, Content> | undefined): [string, Content] | undefined {
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
  const all: ApiOperation[] = [];
  for (const [path, item] of Object.entries(doc.paths ?? {})) {
    const shared = (item['parameters'] ?? []) as (Parameter | { $ref: string })[];
    for (const method of METHODS) {
      const raw = item[method] as RawOperation | undefined;
      if (raw === undefined) continue;
      const request = raw.requestBody === undefined ? undefined : follow(doc, raw.requestBody);
      const body = firstContent(request?.content);
      all.push({
        id: `${method} ${path}`,
        method,
        path,
        summary: raw.summary ?? '',
        description: raw.description ?? '',
        group: raw.tags?.[0] ?? groupOf(path),
        parameters: [...shared, ...(raw.parameters ?? [])].map((one) => follow<Parameter>(doc, one)),
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
        answers: Object.entries(raw.responses ?? {}).map(([status, one]) => {
          const answer = follow<ApiResponse>(doc, one);
          const content = firstContent(answer.content);
          return { status, description: answer.description ?? '', type: content?.[0], schema: content?.[1].schema };
        }),
        needsToken: (raw.security ?? doc.security ?? []).some((need) => Object.keys(need).length > 0),
      });
    }
  }
  return all;
}

export interface OperationGroup {
  name: string;
  description: string;
  operations: ApiOperation[];
}

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

/** True when every word of the text is somewhere in what the call is about. */
export function matchesOperation(operation: ApiOperation, text: string): boolean {
  const about = [
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
    .every((word) => about.includes(word));
}
