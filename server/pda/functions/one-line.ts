const MAX_MESSAGE_CHARS = 1000;

/** What somebody else wrote, as one line that can be shown: no control characters, nothing that turns the direction of what stands beside it. */
export const oneLine = (text: string): string =>
  text
    .slice(0, 2 * MAX_MESSAGE_CHARS)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]+/gu, ' ')
    .slice(0, MAX_MESSAGE_CHARS);
