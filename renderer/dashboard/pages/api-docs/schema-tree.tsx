import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { m } from '../../../shared/messages/texts.ts';
import { type OpenApi, type Schema, schemaOf } from './openapi.ts';
import { Prose } from './prose.tsx';
import classes from './schema-tree.module.css';

const texts = m.settings.api;
const EXPANDED_LEVELS = 2;
/** Deeper levels are not shown, because a schema can refer to itself. */
const MAX_TREE_DEPTH = 8;

interface SchemaProps {
  doc: OpenApi;
  schema: Schema;
  depth?: number;
}

/** Returns a short type name, such as "list of Session" or "string, date-time". */
export function typeName(doc: OpenApi, schemaOrRef: Schema): string {
  const schema = schemaOf(doc, schemaOrRef);
  if (schemaOrRef.$ref !== undefined && (schema.properties !== undefined || schema.type === undefined))
    return schema.title ?? '';
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeName(doc, choice)))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array')
    return `${texts.listOf} ${schema.items === undefined ? texts.anyJson : typeName(doc, schema.items)}`;
  if (schema.type === 'object' && schema.properties === undefined && typeof schema.additionalProperties === 'object') {
    return `${texts.mapOf} ${typeName(doc, schema.additionalProperties)}`;
  }
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : schema.type;
  if (type === undefined) return texts.anyJson;
  return schema.format === undefined ? type : `${type}, ${schema.format}`;
}

function limitTexts(schema: Schema): string[] {
  const limits: string[] = [];
  const addRange = (low: number | undefined, high: number | undefined, format: (text: string) => string) => {
    const lowText = low === undefined || low <= Number.MIN_SAFE_INTEGER ? undefined : String(low);
    const highText = high === undefined || high >= Number.MAX_SAFE_INTEGER ? undefined : String(high);
    if (lowText !== undefined && highText !== undefined) limits.push(format(texts.between(lowText, highText)));
    else if (lowText !== undefined) limits.push(format(texts.minimum(lowText)));
    else if (highText !== undefined) limits.push(format(texts.maximum(highText)));
  };
  addRange(schema.minimum, schema.maximum, (text) => text);
  addRange(schema.minLength, schema.maxLength, texts.characters);
  if (schema.default !== undefined) limits.push(texts.default(JSON.stringify(schema.default)));
  return limits;
}

/** Returns the schemas with named properties within lists, maps, alternatives and references. */
function nestedSchemasOf(doc: OpenApi, schemaOrRef: Schema): Schema[] {
  const schema = schemaOf(doc, schemaOrRef);
  if (schema.properties !== undefined) return [schema];
  if (schema.items !== undefined) return nestedSchemasOf(doc, schema.items);
  if (typeof schema.additionalProperties === 'object') return nestedSchemasOf(doc, schema.additionalProperties);
  return (schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []).flatMap((choice) => nestedSchemasOf(doc, choice));
}

export function SchemaTree({ doc, schema, depth = 0 }: SchemaProps) {
  // A schema such as "one Session or a list of Session" would list the same fields twice.
  const distinctSchemas = nestedSchemasOf(doc, schema).filter(
    (alternative, index, alternatives) =>
      alternatives.findIndex(
        ({ title, properties }) =>
          alternative.properties === properties || (title !== undefined && alternative.title === title),
      ) === index,
  );
  return (
    <div className={classes.tree}>
      {depth === 0 && (
        <p className={classes.type}>
          <code>{typeName(doc, schema)}</code> <Prose text={schemaOf(doc, schema).description ?? ''} />
        </p>
      )}
      {distinctSchemas.map((alternative, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- alternatives have no names and are never reordered
        <ul key={index} className={classes.fields}>
          {index > 0 && <li className={classes.separator}>{texts.oneOf}</li>}
          {Object.entries(alternative.properties ?? {}).map(([name, field]) => (
            <Field
              key={name}
              doc={doc}
              name={name}
              schema={field}
              required={alternative.required?.includes(name) === true}
              depth={depth}
            />
          ))}
        </ul>
      ))}
    </div>
  );
}

function Field({
  doc,
  name,
  schema,
  required,
  depth,
}: SchemaProps & { name: string; required: boolean; depth: number }) {
  const [isExpanded, setIsExpanded] = useState(depth + 1 < EXPANDED_LEVELS);
  const hasNestedFields = nestedSchemasOf(doc, schema).length > 0;
  const resolvedSchema = schemaOf(doc, schema);
  const Arrow = isExpanded ? IconChevronDown : IconChevronRight;
  return (
    <li>
      <div className={classes.field}>
        {hasNestedFields ? (
          <UnstyledButton
            className={classes.toggle}
            aria-expanded={isExpanded}
            onClick={() => setIsExpanded(!isExpanded)}
            title={texts.show}
          >
            <Arrow size={14} stroke={1.8} aria-hidden="true" />
            <code>{name}</code>
          </UnstyledButton>
        ) : (
          <code className={classes.name}>{name}</code>
        )}
        <span className={classes.kind}>
          {typeName(doc, schema)}
          {required && <em>{texts.required}</em>}
        </span>
        <span className={classes.description}>
          <Prose
            text={[schema.description ?? resolvedSchema.description, ...limitTexts(resolvedSchema)]
              .filter(Boolean)
              .join(' · ')}
          />
        </span>
      </div>
      {hasNestedFields && isExpanded && depth < MAX_TREE_DEPTH && (
        <SchemaTree doc={doc} schema={schema} depth={depth + 1} />
      )}
    </li>
  );
}
