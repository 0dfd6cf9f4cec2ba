type Signature = { offset: number; bytes: string };

const RASTER_SIGNATURES: readonly (readonly [type: string, readonly Signature[]])[] = [
  ['image/png', [{ offset: 0, bytes: '\x89PNG\r\n\x1a\n' }]],
  ['image/jpeg', [{ offset: 0, bytes: '\xff\xd8\xff' }]],
  ['image/gif', [{ offset: 0, bytes: 'GIF87a' }]],
  ['image/gif', [{ offset: 0, bytes: 'GIF89a' }]],
  [
    'image/webp',
    [
      { offset: 0, bytes: 'RIFF' },
      { offset: 8, bytes: 'WEBP' },
    ],
  ],
  ['image/avif', [{ offset: 4, bytes: 'ftypavif' }]],
  ['image/x-icon', [{ offset: 0, bytes: '\0\0\x01\0' }]],
];

/** Text can begin with `BM`, too, so the declared length is checked. */
const isBitmap = (bytes: Buffer): boolean =>
  bytes.length > 26 && bytes.toString('latin1', 0, 2) === 'BM' && bytes.readUInt32LE(2) === bytes.length;

/** Markup before the root element of an SVG file. Sticky patterns scan a long file only once. */
const PROLOG_PATTERNS = [
  /\s+/uy,
  /<\?[^>]{0,1000}?\?>/uy,
  /<!--/uy,
  // Excludes an internal subset, which could define entities that expand without bounds.
  /<!DOCTYPE\s+svg[^>[]{0,1000}>/iuy,
] as const;
const SVG_ROOT = /<svg[\s/>]/uy;

const isSvg = (bytes: Buffer): boolean => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The bytes are not UTF-8.
    return false;
  }
  let position = 0;
  for (;;) {
    SVG_ROOT.lastIndex = position;
    if (SVG_ROOT.test(text)) return true;
    const match = PROLOG_PATTERNS.find((pattern) => {
      pattern.lastIndex = position;
      return pattern.test(text);
    });
    if (match === undefined) return false;
    position = match.lastIndex;
    if (match.source === '<!--') {
      const end = text.indexOf('-->', position);
      if (end === -1) return false;
      position = end + 3;
    }
  }
};

/**
 * Detects the media type from the content, because the declared type is not trusted. Returns undefined if the bytes are
 * not a supported picture.
 */
export const detectPictureType = (bytes: Buffer): string | undefined => {
  const raster = RASTER_SIGNATURES.find(([, signatures]) =>
    signatures.every(
      ({ offset, bytes: expected }) => bytes.toString('latin1', offset, offset + expected.length) === expected,
    ),
  );
  if (raster !== undefined) return raster[0];
  if (isBitmap(bytes)) return 'image/bmp';
  return isSvg(bytes) ? 'image/svg+xml' : undefined;
};
