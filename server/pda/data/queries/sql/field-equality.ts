import type { SqlFragment, SqlParameter } from './filters.ts';
import type { FieldEquality } from '../../records/service.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/**
 * Compiles `?<field>=<value>` of a data read. Query text has no types, so `7` matches the text "7" and the number 7, and `true` the text and the
 * boolean. Name and values are bound parameters: a path literal could not name every key, and ad-hoc reads earn no index anyway.
 */
export const compileEquality = ({ name, values }: FieldEquality): SqlFragment => {
  const parameters: SqlParameter[] = [name];
  const alternatives = values.map((value) => {
    parameters.push(value);
    const terms = [`field.type = 'text' AND field.value = ?`];
    const number = JSON_NUMBER.test(value) ? Number(value) : undefined;
    if (number !== undefined && Number.isFinite(number)) {
      // Doubles on both sides, as everywhere: whole numbers beyond 2^53 went through the same rounding in clients.
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
