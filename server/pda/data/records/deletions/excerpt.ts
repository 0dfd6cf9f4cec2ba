import { EXCERPT_MAX_CHARS } from '../../../../wire/limits.ts';

const MAX_DEPTH = 4;

const appendValue = (parts: string[], name: string, value: unknown, depth: number): void => {
  if (parts.join(' · ').length > EXCERPT_MAX_CHARS) return;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const text = String(value).replaceAll(/\s+/gu, ' ').trim();
    if (text !== '') parts.push(name === '' ? text : `${name}: ${text}`);
    return;
  }
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return;
  for (const [key, inner] of Object.entries(value))
    appendValue(parts, Array.isArray(value) ? name : key, inner, depth + 1);
};

/**
 * Returns the first values of a record in one line, with the names of their fields.
 * @param json stored data, at most EXCERPT_SOURCE_MAX_BYTES bytes
 * @returns at most EXCERPT_MAX_CHARS characters; empty for a record without values
 */
export const createRecordExcerpt = (json: string): string => {
  const parts: string[] = [];
  appendValue(parts, '', JSON.parse(json), 0);
  const text = parts.join(' · ');
  const characters = [...text];
  return characters.length <= EXCERPT_MAX_CHARS ? text : `${characters.slice(0, EXCERPT_MAX_CHARS - 1).join('')}…`;
};
