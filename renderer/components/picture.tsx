import { type ReactNode, useEffect, useState } from 'react';
import classes from './picture.module.css';
import { usePicture } from './use-picture.ts';

interface PictureProps {
  url: string;
  alt: string;
  /** Shown instead when there is none. */
  fallback?: ReactNode;
}

/** A picture that somebody else named, fetched by the PDA once it comes near the window. */
export function Picture({ url, alt, fallback = null }: PictureProps) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (place === null) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: '200px' },
    );
    watch.observe(place);
    return () => watch.disconnect();
  }, [place]);
  const { src, isMissing, onError } = usePicture(url, near);
  return (
    <span ref={setPlace} className={classes.picture}>
      {src !== undefined && <img src={src} alt={alt} onError={onError} />}
      {isMissing && fallback}
    </span>
  );
}
