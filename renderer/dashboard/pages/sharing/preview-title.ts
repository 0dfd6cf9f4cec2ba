import { useMemo } from 'react';
import { isolateText } from '../../../../server/wire/isolation.ts';

/**
 * Returns the title of a window with a preview, which begins with that of the previewed page. Links in the frame change
 * nothing else outside of it.
 * @param html the previewed page; undefined while it is loading
 * @param title title of the preview
 */
export function usePreviewTitle(html: string | undefined, title: string): string {
  const pageTitle = useMemo(
    () => (html === undefined ? undefined : new DOMParser().parseFromString(html, 'text/html').title),
    [html],
  );
  return pageTitle === undefined ? title : `${isolateText(pageTitle)} · ${title}`;
}
