import { type OpenApi, type ApiOperation, type Schema, schemaOf } from './openapi.ts';

/** Deeper levels become empty objects, because a schema can refer to itself. */
const MAX_EXAMPLE_DEPTH = 5;

function exampleOfFormat(format: string | undefined): string {
  switch (format) {
    case 'uuid':
      return '018f4f2e-5c1a-7b3e-9d2c-3a4b5c6d7e8f';
    case 'date-time':
      return '2026-01-31T09:30:00.000Z';
    case 'date':
      return '2026-01-31';
    case 'uri':
      return 'https://example.net/';
    default:
      return 'text';
  }
}

export function exampleOf(doc: OpenApi, schemaOrRef: Schema, depth = 0): unknown {
  const schema = schemaOf(doc, schemaOrRef);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (depth > MAX_EXAMPLE_DEPTH) return {};
  const choice = schema.oneOf?.[0] ?? schema.anyOf?.find((option) => schemaOf(doc, option).type !== 'null');
  if (choice !== undefined) return exampleOf(doc, choice, depth + 1);
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((member) => exampleOf(doc, member, depth + 1) as object)) as unknown;
  }
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== 'null') : schema.type;
  switch (type) {
    case 'object': {
      const requiredProperties = Object.entries(schema.properties ?? {}).filter(
        ([name]) => schema.required?.includes(name) ?? true,
      );
      return Object.fromEntries(
        requiredProperties.map(([name, property]) => [name, exampleOf(doc, property, depth + 1)]),
      );
    }
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(doc, schema.items, depth + 1)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return exampleOfFormat(schema.format);
    default:
      // Any JSON value is valid here. A small record is a better illustration than an empty object.
      return { steps: 8214 };
  }
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function parameterExample(doc: OpenApi, name: string, schema: Schema | undefined): string {
  const value = schema === undefined ? '' : exampleOf(doc, schema);
  if (typeof value === 'string' && value !== 'text') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return name.toUpperCase();
}

export function curlOf(doc: OpenApi, operation: ApiOperation, origin: string): string {
  const parametersByKey = new Map(
    operation.parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]),
  );
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    parameterExample(doc, name, parametersByKey.get(`path ${name}`)?.schema),
  );
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(
      (parameter) => `${parameter.name}=${encodeURIComponent(parameterExample(doc, parameter.name, parameter.schema))}`,
    )
    .join('&');
  const lines = [
    `curl${operation.method === 'get' ? '' : ` -X ${operation.method.toUpperCase()}`} ${quoteForShell(`${origin}${path}${query === '' ? '' : `?${query}`}`)}`,
  ];
  if (operation.needsToken) lines.push(`-H "x-auth-token: $TOKEN"`);
  for (const parameter of operation.parameters) {
    if (parameter.in === 'header' && parameter.required === true && parameter.name !== 'x-auth-token') {
      lines.push(
        `-H ${quoteForShell(`${parameter.name}: ${parameterExample(doc, parameter.name, parameter.schema)}`)}`,
      );
    }
  }
  if (operation.body !== undefined) {
    lines.push(`-H ${quoteForShell(`content-type: ${operation.body.type}`)}`);
    if (operation.body.type.includes('json')) {
      const value = operation.body.example ?? exampleOf(doc, operation.body.schema);
      lines.push(`-d ${quoteForShell(JSON.stringify(value))}`);
    } else {
      lines.push('--data-binary @FILE');
    }
  }
  return lines.join(' \\\n  ');
}
