import { type ReactNode, useEffect, useState } from 'react';
import classes from './picture.module.css';
import { usePicture } from './use-picture.ts';

interface PictureProps {
  url: string;
  alt: string;
  fallback?: ReactNode;
}

/** Third-party picture, loaded through the PDA when it scrolls near the viewport. */
export function Picture({ url, alt, fallback = null }: PictureProps) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true);
      },
      { rootMargin: '200px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  const { src, isMissing, onError } = usePicture(url, isNear);
  return (
    <span ref={setElement} className={classes.picture}>
      {src !== undefined && <img src={src} alt={alt} onError={onError} />}
      {isMissing && fallback}
    </span>
  );
}
