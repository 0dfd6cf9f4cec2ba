/** What a picture is, by its own bytes: what its server calls it is not to be trusted. */

export type PictureType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/webp'
  | 'image/avif'
  | 'image/bmp'
  | 'image/x-icon'
  | 'image/svg+xml';

type Mark = { at: number; bytes: string };

const RASTER: readonly (readonly [PictureType, readonly Mark[]])[] = [
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

/** A bitmap's two letters are also how a text can begin: its own length must be right too. */
const isBitmap = (bytes: Buffer): boolean =>
  bytes.length > 26 && bytes.toString('latin1', 0, 2) === 'BM' && bytes.readUInt32LE(2) === bytes.length;

/** What may stand before the root element of an SVG file. Each piece ends where it says, so that a long file is read once. */
const BEFORE_ROOT = [
  /\s+/uy,
  /<\?[^>]{0,1000}?\?>/uy,
  /<!--/uy,
  // With an internal subset a document can define entities, and by them grow without bounds: no logo needs one.
  /<!DOCTYPE\s+svg[^>[]{0,1000}>/iuy,
] as const;
const ROOT = /<svg[\s/>]/uy;

const isSvg = (bytes: Buffer): boolean => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not text at all, or not in the one encoding that we pass on.
    return false;
  }
  let at = 0;
  for (;;) {
    ROOT.lastIndex = at;
    if (ROOT.test(text)) return true;
    const piece = BEFORE_ROOT.find((pattern) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    });
    if (piece === undefined) return false;
    at = piece.lastIndex;
    if (piece.source === '<!--') {
      const end = text.indexOf('-->', at);
      if (end === -1) return false;
      at = end + 3;
    }
  }
};

/** Undefined when it is no picture that we show. */
export const pictureType = (bytes: Buffer): PictureType | undefined => {
  const raster = RASTER.find(([, marks]) =>
    marks.every((mark) => bytes.toString('latin1', mark.at, mark.at + mark.bytes.length) === mark.bytes),
  );
  if (raster !== undefined) return raster[0];
  if (isBitmap(bytes)) return 'image/bmp';
  return isSvg(bytes) ? 'image/svg+xml' : undefined;
};
