import { Button, Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './list-end.module.css';

interface ListEndProps {
  hasMore: boolean;
  isLoading: boolean;
  /** True if the last request failed. Then only the button loads more, so that a lasting failure causes no loop. */
  hasFailed: boolean;
  loadMore: () => void;
  texts: { more: string; loadingMore: string };
  /** Text below a list that is loaded completely. */
  endText: string;
}

type ListEndState = Pick<ListEndProps, 'hasMore' | 'isLoading' | 'hasFailed'>;

/** Returns true if the next page may be requested without a click. */
export const loadsAutomatically = ({ hasMore, isLoading, hasFailed }: ListEndState): boolean =>
  hasMore && !isLoading && !hasFailed;

/** Loads the next page when the end of the list scrolls near the viewport, or when the button is clicked. */
export function ListEnd({ hasMore, isLoading, hasFailed, loadMore, texts, endText }: ListEndProps) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (element === null || !loadsAutomatically({ hasMore, isLoading, hasFailed })) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) loadMore();
      },
      { rootMargin: '600px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  });
  return (
    <div ref={setElement} className={classes.listEnd}>
      {isLoading && <Loader size="xs" aria-label={texts.loadingMore} />}
      {hasMore && !isLoading && (
        <Button variant="default" size="xs" onClick={loadMore}>
          {texts.more}
        </Button>
      )}
      {!hasMore && <span>{endText}</span>}
    </div>
  );
}
