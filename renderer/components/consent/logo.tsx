import { usePicture } from '../use-picture.ts';
import classes from './logo.module.css';
import { initials } from './names.ts';

interface LogoProps {
  url: string | null | undefined;
  name: string;
  /** Pixels */
  size?: number;
}

/** The picture of whoever asks, or two letters. Beside it there is always the name: it says nothing of its own. */
export function Logo({ url, name, size = 40 }: LogoProps) {
  const { src, onError } = usePicture(url ?? '');
  return (
    <span className={classes.logo} style={{ '--size': `${size}px` } as React.CSSProperties} aria-hidden="true">
      {src === undefined ? (
        <span>{initials(name)}</span>
      ) : (
        <img src={src} alt="" width={size} height={size} onError={onError} />
      )}
    </span>
  );
}
