import type { SqlFragment, SqlParameter } from './filters.ts';
import type { FieldEquality } from '../../records/service.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/**
 * Compiles `?<field>=<value>` of a data read. Query strings have no types, so `7` matches the string "7" and the number
 * 7, and `true` matches the string and the boolean. Name and values are bound parameters: a path literal cannot express
 * every key, and ad-hoc reads get no index anyway.
 */
export const compileEquality = ({ name, values }: FieldEquality): SqlFragment => {
  const parameters: SqlParameter[] = [name];
  const alternatives = values.map((value) => {
    parameters.push(value);
    const terms = [`field.type = 'text' AND field.value = ?`];
    const number = JSON_NUMBER.test(value) ? Number(value) : undefined;
    if (number !== undefined && Number.isFinite(number)) {
      // Compares doubles, as all filters do: clients have rounded whole numbers beyond 2^53 in the same way.
      terms.push(`field.type IN ('integer', 'real') AND CAST(field.value AS REAL) = ?`);
      parameters.push(number);
    }
    if (value === 'true' || value === 'false') terms.push(`field.type = '${value}'`);
    return terms.map((term) => `(${term})`).join(' OR ');
  });
  return {
    sql: `json_type(data, '$') = 'object' AND EXISTS (SELECT 1 FROM json_each(data, '$') AS field WHERE field.key = ? AND (${alternatives.join(' OR ')}))`,
    parameters,
  };
};
