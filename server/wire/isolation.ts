// Isolates third-party text within sentences (Unicode Standard Annex #9).

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_DIRECTIONAL_ISOLATE = '\u2069';

/** An isolate like those of `isolateText`, or a bidirectional control outside of one. */
const ISOLATE_OR_CONTROL = /\u2068([^\p{Bidi_Control}]*)\u2069|\p{Bidi_Control}/gu;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;

/**
 * Removes bidirectional controls, except closed isolates without other controls. Isolation alone is not enough: a text
 * could close its isolate and reorder what follows.
 */
export const withoutBidiControls = (text: string): string =>
  text.replaceAll(ISOLATE_OR_CONTROL, (match, inner?: string) => (inner === undefined ? '' : match));

/** Prepares a text for use in a sentence. Text without right-to-left letters needs no isolate and stays searchable. */
export const isolateText = (text: string): string => {
  const cleanText = withoutBidiControls(text);
  return RIGHT_TO_LEFT.test(cleanText) ? `${FIRST_STRONG_ISOLATE}${cleanText}${POP_DIRECTIONAL_ISOLATE}` : cleanText;
};
