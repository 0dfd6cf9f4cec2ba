import { Button, Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './list-end.module.css';

interface ListEndProps {
  more: boolean;
  busy: boolean;
  load: () => void;
  words: { more: string; loadingMore: string };
  /** Said when there is no more. */
  end: string;
}

/** Earlier entries come as one nears the end; the button is for whoever does not scroll. */
export function ListEnd({ more, busy, load, words, end }: ListEndProps) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (place === null || !more || busy) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) load();
      },
      { rootMargin: '600px' },
    );
    watch.observe(place);
    return () => watch.disconnect();
  });
  return (
    <div ref={setPlace} className={classes.end}>
      {busy && <Loader size="xs" aria-label={words.loadingMore} />}
      {more && !busy && (
        <Button variant="default" size="xs" onClick={load}>
          {words.more}
        </Button>
      )}
      {!more && <span>{end}</span>}
    </div>
  );
}
