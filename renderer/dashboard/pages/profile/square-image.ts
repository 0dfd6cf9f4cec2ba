const MAX_SIDE_PX = 512;
const JPEG_QUALITY = 0.9;

/**
 * Crops a picture to its central square, scales it down to at most `MAX_SIDE_PX` per side, and re-encodes it as JPEG,
 * with its orientation applied and without metadata. Returns undefined if the browser cannot read or encode the
 * picture.
 */
export async function cropToSquare(file: Blob): Promise<Blob | undefined> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    return undefined;
  }
  const { width, height } = bitmap;
  const side = Math.min(width, height);
  const outputSize = Math.min(MAX_SIDE_PX, side);
  const canvas = document.createElement('canvas');
  canvas.width = outputSize;
  canvas.height = outputSize;
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  // JPEG has no transparency. Without a background, transparent pixels would become black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, outputSize, outputSize);
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, (width - side) / 2, (height - side) / 2, side, side, 0, 0, outputSize, outputSize);
  bitmap.close();
  const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY));
  return jpeg ?? undefined;
}
