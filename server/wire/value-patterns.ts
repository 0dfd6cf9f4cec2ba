// Patterns that recognise the types of texts in records. This file contains no schemas, so that the dashboard can
// import it without bundling Zod.

/** A plain decimal number, without exponent or digit grouping. */
export const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u;

export const EMAIL_TEXT = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u;

export const COLOUR_TEXT = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/iu;

export const LINK_TEXT = /^https?:\/\/\S+$/iu;

/** A link to a picture, recognised by its file extension. */
export const IMAGE_TEXT = /^https?:\/\/\S+\.(?:png|jpe?g|gif|webp|avif|svg)(?:\?\S*)?$/iu;

/** Beginning of a data URL with a picture. Excludes SVG, which is a document rather than a picture. */
export const EMBEDDED_IMAGE_TEXT = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/iu;

/** Path of a picture among the owner's files, recognised by the extension in its file ID. */
const OWN_FILE_IMAGE_TEXT =
  /^(?:\/api\/v\d+(?:\.\d+)?)?\/files\/content\/[a-z\d-]{1,190}\.(?:png|jpe?g|gif|webp|avif)$/u;

/** Returns true for a picture that is stored in the PDA: within the record, or among the owner's files. */
export const isOwnPicture = (value: unknown): value is string =>
  typeof value === 'string' && (EMBEDDED_IMAGE_TEXT.test(value) || OWN_FILE_IMAGE_TEXT.test(value));
