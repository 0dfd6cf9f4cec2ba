import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { KIND_ICONS, sizeOf } from '../file-kinds.ts';
import classes from './thumbnail.module.css';
import { useContent } from './use-content.ts';

/** Larger images get no thumbnail, because loading and decoding them takes too long. */
export const THUMBNAIL_MAX_BYTES = 12_000_000;

interface ThumbnailProps {
  file: OwnerFile;
  size: 'row' | 'tile';
}

/**
 * Shows a raster image. For other files, and for images that are too large or fail to load, shows the icon of the file
 * kind.
 */
export function Thumbnail({ file, size }: ThumbnailProps) {
  const isImage = file.kind === 'image' && file.inline && sizeOf(file) <= THUMBNAIL_MAX_BYTES;
  return (
    <span className={classes.thumbnail} data-size={size}>
      {isImage ? (
        <ImageThumbnail key={`${file.file.fileId} ${file.sha256 ?? ''}`} file={file} size={size} />
      ) : (
        <KindSymbol file={file} size={size} />
      )}
    </span>
  );
}

function KindSymbol({ file, size }: ThumbnailProps) {
  const KindIcon = KIND_ICONS[file.kind];
  return <KindIcon size={size === 'row' ? 20 : 36} stroke={size === 'row' ? 1.5 : 1.1} aria-hidden="true" />;
}

function ImageThumbnail({ file, size }: ThumbnailProps) {
  const { src, onError } = useContent(file);
  if (src === undefined) return <KindSymbol file={file} size={size} />;
  return <img src={src} alt="" loading="lazy" decoding="async" draggable={false} onError={onError} />;
}
