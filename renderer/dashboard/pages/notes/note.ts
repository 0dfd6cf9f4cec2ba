import { isObject } from '../../../../server/wire/values.ts';

/** Endpoint of the notes. Each record has Markdown text and a list of tags. */
export const NOTES_ENDPOINT = 'notes/notes';

export interface Note {
  text: string;
  tags: string[];
}

/** Returns the note in a record; undefined if an application stored other data at the endpoint. */
export function noteOf(data: unknown): Note | undefined {
  if (!isObject(data) || typeof data['text'] !== 'string') return undefined;
  const { text, tags } = data;
  return { text, tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [] };
}

export const isSameNote = (a: Note, b: Note): boolean =>
  a.text === b.text && a.tags.length === b.tags.length && a.tags.every((tag, index) => tag === b.tags[index]);
