import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { m } from '../../../shared/messages/texts.ts';
import { type OpenApi, type Schema, schemaOf } from './openapi.ts';
import { Prose } from './prose.tsx';
import classes from './schema-tree.module.css';

const words = m.settings.api;
/** Levels that are open at first. */
const OPEN_LEVELS = 2;

interface SchemaProps {
  doc: OpenApi;
  schema: Schema;
  depth?: number;
}

/** What a value is, in a few words: "list of Session", "string, date-time". */
export function typeName(doc: OpenApi, given: Schema): string {
  const schema = schemaOf(doc, given);
  if (given.$ref !== undefined && (schema.properties !== undefined || schema.type === undefined))
    return schema.title ?? '';
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return [...new Set(choices.map((one) => typeName(doc, one)))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.type === 'array')
    return `${words.listOf} ${schema.items === undefined ? words.anyJson : typeName(doc, schema.items)}`;
  if (schema.type === 'object' && schema.properties === undefined && typeof schema.additionalProperties === 'object') {
    return `${words.mapOf} ${typeName(doc, schema.additionalProperties)}`;
  }
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : schema.type;
  if (type === undefined) return words.anyJson;
  return schema.format === undefined ? type : `${type}, ${schema.format}`;
}

/** The limits of a value, as far as they say something. */
function limitsOf(schema: Schema): string[] {
  const said: string[] = [];
  const range = (low: number | undefined, high: number | undefined, wrap: (text: string) => string) => {
    // What every safe integer satisfies is no limit worth a word.
    const from = low === undefined || low <= Number.MIN_SAFE_INTEGER ? undefined : String(low);
    const to = high === undefined || high >= Number.MAX_SAFE_INTEGER ? undefined : String(high);
    if (from !== undefined && to !== undefined) said.push(wrap(words.between(from, to)));
    else if (from !== undefined) said.push(wrap(words.minimum(from)));
    else if (to !== undefined) said.push(wrap(words.maximum(to)));
  };
  range(schema.minimum, schema.maximum, (text) => text);
  range(schema.minLength, schema.maxLength, words.characters);
  if (schema.default !== undefined) said.push(words.default(JSON.stringify(schema.default)));
  return said;
}

/** Resolves lists and references down to schemas with named properties. */
function innerOf(doc: OpenApi, given: Schema): Schema[] {
  const schema = schemaOf(doc, given);
  if (schema.properties !== undefined) return [schema];
  if (schema.items !== undefined) return innerOf(doc, schema.items);
  if (typeof schema.additionalProperties === 'object') return innerOf(doc, schema.additionalProperties);
  return (schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []).flatMap((one) => innerOf(doc, one));
}

export function SchemaTree({ doc, schema, depth = 0 }: SchemaProps) {
  // "One of them, or a list of them" has the same fields twice.
  const inner = innerOf(doc, schema).filter(
    (one, at, all) =>
      all.findIndex(
        ({ title, properties }) => one.properties === properties || (title !== undefined && one.title === title),
      ) === at,
  );
  return (
    <div className={classes.tree}>
      {depth === 0 && (
        <p className={classes.type}>
          <code>{typeName(doc, schema)}</code> <Prose text={schemaOf(doc, schema).description ?? ''} />
        </p>
      )}
      {inner.map((one, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- alternatives have no names, and never move
        <ul key={at} className={classes.fields}>
          {at > 0 && <li className={classes.or}>{words.oneOf}</li>}
          {Object.entries(one.properties ?? {}).map(([name, field]) => (
            <Field
              key={name}
              doc={doc}
              name={name}
              schema={field}
              required={one.required?.includes(name) === true}
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
  const [open, setOpen] = useState(depth + 1 < OPEN_LEVELS);
  const hasInner = innerOf(doc, schema).length > 0;
  const full = schemaOf(doc, schema);
  const Arrow = open ? IconChevronDown : IconChevronRight;
  return (
    <li>
      <div className={classes.field}>
        {hasInner ? (
          <UnstyledButton
            className={classes.toggle}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            title={words.show}
          >
            <Arrow size={14} stroke={1.8} aria-hidden="true" />
            <code>{name}</code>
          </UnstyledButton>
        ) : (
          <code className={classes.name}>{name}</code>
        )}
        <span className={classes.kind}>
          {typeName(doc, schema)}
          {required && <em>{words.required}</em>}
        </span>
        <span className={classes.about}>
          <Prose text={[schema.description ?? full.description, ...limitsOf(full)].filter(Boolean).join(' · ')} />
        </span>
      </div>
      {hasInner && open && depth < 8 && <SchemaTree doc={doc} schema={schema} depth={depth + 1} />}
    </li>
  );
}
