import { z } from 'zod';

// Display text: text of third parties that the dashboard shows to the owner. Control characters, especially
// bidirectional ones (Unicode Standard Annex 9), can reorder the dashboard's own words around it, so input schemas
// refuse them. Schemas of stored data and responses do not: stored text stays readable, and the dashboard isolates it.

/** Control, format, unassigned and private-use characters, unpaired surrogates, line and paragraph separators. */
export const INVISIBLE_CHARACTER = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Includes the bidirectional controls U+061C, U+200E, U+200F, U+202A–202E and U+2066–2069. */
const CONTROL_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
/** Like `CONTROL_CHARACTER`, but without tab, line feed and carriage return. */
const CONTROL_CHARACTER_IN_PARAGRAPH = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const CONTROL_CHARACTERS = new RegExp(`${CONTROL_CHARACTER.source}+`, 'gu');
const CONTROL_CHARACTERS_IN_PARAGRAPH = new RegExp(`(?:${CONTROL_CHARACTER_IN_PARAGRAPH.source})+`, 'gu');

export const isDisplayLine = (text: string): boolean => !CONTROL_CHARACTER.test(text);
export const isDisplayParagraph = (text: string): boolean => !CONTROL_CHARACTER_IN_PARAGRAPH.test(text);

export const NOT_A_DISPLAY_LINE =
  'use one line, without control characters or characters that change the text direction';
export const NOT_A_DISPLAY_PARAGRAPH = 'use no control characters and no characters that change the text direction';

/** One line of display text: not empty, without surrounding white space. `max`: UTF-16 code units. */
export const displayText = (max: number) => z.string().trim().min(1).max(max).refine(isDisplayLine, NOT_A_DISPLAY_LINE);

/** Display text of several lines: not empty, without surrounding white space. `max`: UTF-16 code units. */
export const displayParagraph = (max: number) =>
  z.string().trim().min(1).max(max).refine(isDisplayParagraph, NOT_A_DISPLAY_PARAGRAPH);

/** Replaces each run of control characters with a space. For text that did not pass an input schema. */
export const toDisplayLine = (text: string): string => text.replaceAll(CONTROL_CHARACTERS, ' ');
/** Replaces each run of control characters other than tabs and line breaks with a space. */
export const toDisplayParagraph = (text: string): string => text.replaceAll(CONTROL_CHARACTERS_IN_PARAGRAPH, ' ');

/** Members of applications, functions and application properties that are displayed on one line. */
const LINE_MEMBERS = new Set([
  'title',
  'category',
  'name',
  'headline',
  'header',
  'id',
  'role',
  'detail',
  'supportContact',
]);

export const checkTexts = (value: unknown, path: PropertyKey[], context: z.core.$RefinementCtx): void => {
  if (typeof value === 'string') {
    const name = path.at(-1);
    const isLine = typeof name === 'string' && LINE_MEMBERS.has(name);
    if (isLine ? isDisplayLine(value) : isDisplayParagraph(value)) return;
    context.addIssue({
      code: 'custom',
      path,
      message: isLine ? NOT_A_DISPLAY_LINE : NOT_A_DISPLAY_PARAGRAPH,
      input: value,
    });
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) checkTexts(element, [...path, index], context);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) checkTexts(member, [...path, name], context);
  }
};

export const requireDisplayTexts =
  (...members: readonly string[]) =>
  (value: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void => {
    for (const member of members) checkTexts(value[member], [member], context);
  };
