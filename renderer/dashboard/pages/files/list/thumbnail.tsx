import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { KIND_ICONS, sizeOf } from '../file-kinds.ts';
import classes from './thumbnail.module.css';
import { useContent } from './use-content.ts';

/** Bytes. A larger picture takes longer to come and to draw than a small view of it is worth. */
const MOST = 12_000_000;

interface ThumbProps {
  file: OwnerFile;
  size: 'line' | 'tile';
}

/** A small view of a picture; of everything else, and until the picture is there, the sign of its kind. */
export function Thumb({ file, size }: ThumbProps) {
  const isPicture = file.kind === 'image' && file.inline && sizeOf(file) <= MOST;
  return (
    <span className={classes.thumb} data-size={size}>
      {isPicture ? (
        <Picture key={`${file.file.fileId} ${file.sha256 ?? ''}`} file={file} size={size} />
      ) : (
        <Sign file={file} size={size} />
      )}
    </span>
  );
}

function Sign({ file, size }: ThumbProps) {
  const KindIcon = KIND_ICONS[file.kind];
  return <KindIcon size={size === 'line' ? 20 : 36} stroke={size === 'line' ? 1.5 : 1.1} aria-hidden="true" />;
}

function Picture({ file, size }: ThumbProps) {
  const { src, onError } = useContent(file);
  if (src === undefined) return <Sign file={file} size={size} />;
  return <img src={src} alt="" loading="lazy" decoding="async" draggable={false} onError={onError} />;
}
