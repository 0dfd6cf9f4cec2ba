import { type OpenApi, type ApiOperation, type Schema, schemaOf } from './openapi.ts';

/** Examples made from the schemas: a value that fits, and the curl line that sends it. */

const MAX_DEPTH = 5;

function ofFormat(format: string | undefined): string {
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

export function exampleOf(doc: OpenApi, given: Schema, depth = 0): unknown {
  const schema = schemaOf(doc, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (depth > MAX_DEPTH) return {};
  const choice = schema.oneOf?.[0] ?? schema.anyOf?.find((one) => schemaOf(doc, one).type !== 'null');
  if (choice !== undefined) return exampleOf(doc, choice, depth + 1);
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((one) => exampleOf(doc, one, depth + 1) as object)) as unknown;
  }
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  switch (type) {
    case 'object': {
      const shown = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name) ?? true);
      return Object.fromEntries(shown.map(([name, one]) => [name, exampleOf(doc, one, depth + 1)]));
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
      return ofFormat(schema.format);
    default:
      // Any JSON value: a small record says more than an empty one.
      return { steps: 8214 };
  }
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function parameterExample(doc: OpenApi, name: string, schema: Schema | undefined): string {
  const value = schema === undefined ? '' : exampleOf(doc, schema);
  if (typeof value === 'string' && value !== 'text') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return name.toUpperCase();
}

export function curlOf(doc: OpenApi, operation: ApiOperation, origin: string): string {
  const byName = new Map(operation.parameters.map((one) => [`${one.in} ${one.name}`, one]));
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    parameterExample(doc, name, byName.get(`path ${name}`)?.schema),
  );
  const query = operation.parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map((one) => `${one.name}=${encodeURIComponent(parameterExample(doc, one.name, one.schema))}`)
    .join('&');
  const lines = [
    `curl${operation.method === 'get' ? '' : ` -X ${operation.method.toUpperCase()}`} ${shellQuoted(`${origin}${path}${query === '' ? '' : `?${query}`}`)}`,
  ];
  if (operation.needsToken) lines.push(`-H "x-auth-token: $TOKEN"`);
  for (const one of operation.parameters) {
    if (one.in === 'header' && one.required === true && one.name !== 'x-auth-token') {
      lines.push(`-H ${shellQuoted(`${one.name}: ${parameterExample(doc, one.name, one.schema)}`)}`);
    }
  }
  if (operation.body !== undefined) {
    lines.push(`-H ${shellQuoted(`content-type: ${operation.body.type}`)}`);
    if (operation.body.type.includes('json')) {
      const value = operation.body.example ?? exampleOf(doc, operation.body.schema);
      lines.push(`-d ${shellQuoted(JSON.stringify(value))}`);
    } else {
      lines.push('--data-binary @FILE');
    }
  }
  return lines.join(' \\\n  ');
}
