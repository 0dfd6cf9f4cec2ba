/** Supported types of pictures. Detected from the content, because the type that a server declares is not trusted. */
export type PictureType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/webp'
  | 'image/avif'
  | 'image/bmp'
  | 'image/x-icon'
  | 'image/svg+xml';

type Signature = { at: number; bytes: string };

const RASTER_SIGNATURES: readonly (readonly [PictureType, readonly Signature[]])[] = [
  ['image/png', [{ at: 0, bytes: '\x89PNG\r\n\x1a\n' }]],
  ['image/jpeg', [{ at: 0, bytes: '\xff\xd8\xff' }]],
  ['image/gif', [{ at: 0, bytes: 'GIF87a' }]],
  ['image/gif', [{ at: 0, bytes: 'GIF89a' }]],
  [
    'image/webp',
    [
      { at: 0, bytes: 'RIFF' },
      { at: 8, bytes: 'WEBP' },
    ],
  ],
  ['image/avif', [{ at: 4, bytes: 'ftypavif' }]],
  ['image/x-icon', [{ at: 0, bytes: '\0\0\x01\0' }]],
];

/** Returns true for a bitmap. A text can also begin with its two letters, so the declared length is checked too. */
const isBitmap = (bytes: Buffer): boolean =>
  bytes.length > 26 && bytes.toString('latin1', 0, 2) === 'BM' && bytes.readUInt32LE(2) === bytes.length;

/** Patterns of the markup before the root element of an SVG file. They are sticky, so a long file is scanned once. */
const PROLOG_PATTERNS = [
  /\s+/uy,
  /<\?[^>]{0,1000}?\?>/uy,
  /<!--/uy,
  // An internal subset could define entities that expand without bounds. No logo needs one.
  /<!DOCTYPE\s+svg[^>[]{0,1000}>/iuy,
] as const;
const ROOT = /<svg[\s/>]/uy;

const isSvg = (bytes: Buffer): boolean => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Only UTF-8 is supported.
    return false;
  }
  let at = 0;
  for (;;) {
    ROOT.lastIndex = at;
    if (ROOT.test(text)) return true;
    const matched = PROLOG_PATTERNS.find((pattern) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    });
    if (matched === undefined) return false;
    at = matched.lastIndex;
    if (matched.source === '<!--') {
      const end = text.indexOf('-->', at);
      if (end === -1) return false;
      at = end + 3;
    }
  }
};

/** Returns the type of a picture; undefined if the bytes are not a supported picture. */
export const pictureType = (bytes: Buffer): PictureType | undefined => {
  const raster = RASTER_SIGNATURES.find(([, signatures]) =>
    signatures.every(({ at, bytes: expected }) => bytes.toString('latin1', at, at + expected.length) === expected),
  );
  if (raster !== undefined) return raster[0];
  if (isBitmap(bytes)) return 'image/bmp';
  return isSvg(bytes) ? 'image/svg+xml' : undefined;
};
