/** Patterns of texts in records that have a type. Free of schemas, so that the dashboard can import them. */

/** A plain decimal number, without exponent or digit grouping. */
export const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u;

export const EMAIL_TEXT = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u;

/** A hexadecimal colour of CSS with 3, 4, 6 or 8 digits. */
export const COLOUR_TEXT = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/iu;

export const LINK_TEXT = /^https?:\/\/\S+$/iu;

/** A link to a picture, by the ending of its path. */
export const IMAGE_TEXT = /^https?:\/\/\S+\.(?:png|jpe?g|gif|webp|avif|svg)(?:\?\S*)?$/iu;
