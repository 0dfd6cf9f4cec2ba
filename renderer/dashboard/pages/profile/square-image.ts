/** Pixels of a side. Enough for a face on any screen, and no more of a crowd behind it than that. */
const SIDE = 512;
const QUALITY = 0.9;

/**
 * Crops a picture to a square JPEG and re-encodes it, with its orientation applied and without metadata. Undefined if the
 * browser cannot read it.
 */
export async function squareOf(file: Blob): Promise<Blob | undefined> {
  let picture: ImageBitmap;
  try {
    picture = await createImageBitmap(file);
  } catch {
    return undefined;
  }
  const { width, height } = picture;
  const side = Math.min(width, height);
  const size = Math.min(SIDE, side);
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  const pen = canvas.getContext('2d');
  if (pen === null) return undefined;
  // What lets light through would be black in a JPEG.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, size, size);
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(picture, (width - side) / 2, (height - side) / 2, side, side, 0, 0, size, size);
  picture.close();
  const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  return drawn ?? undefined;
}
