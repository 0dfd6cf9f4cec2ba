import { usePicture } from './use-picture.ts';
import classes from './logo.module.css';
import { initials } from './display-names.ts';

interface LogoProps {
  url: string | null | undefined;
  name: string;
  /** In pixels. */
  size?: number;
}

/** Shows initials until a logo is loaded. Hidden from screen readers, because the name is always beside it. */
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
