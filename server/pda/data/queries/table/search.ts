import { likePattern, likeSpellings } from '../../../core/like.ts';
import type { SqlFragment } from '../sql/filters.ts';

/**
 * Compiles the search in whole records: a condition with a leading AND; empty without a search. A record matches if its
 * JSON text contains the search, as stored or with its escapes decoded: some clients store `Müller` as `M\u00fcller`,
 * and quotation marks, backslashes and line breaks are always escaped.
 */
export const compileSearch = (search: string): SqlFragment => {
  if (search === '') return { sql: '', parameters: [] };
  const patterns = likeSpellings(search).map(likePattern);
  const asStored = patterns.map(() => String.raw`data LIKE ? ESCAPE '\'`).join(' OR ');
  // Most records have no escapes, and SQLite searches them several times faster than JavaScript.
  return {
    sql: String.raw` AND (${asStored} OR (instr(data, '\') > 0 AND pda_contains_text(data, ?)))`,
    parameters: [...patterns, search],
  };
};
