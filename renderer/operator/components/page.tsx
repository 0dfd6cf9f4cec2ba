import { PageFrame, type PageProps } from '../../shared/layout/page-frame.tsx';
import { messages } from '../messages/texts.ts';

/** Page of the exchange. The window title defaults to the heading. */
export function Page({ title, windowTitle = title, ...page }: Omit<PageProps, 'title' | 'windowTitle'> & Titles) {
  return <PageFrame siteName={messages.product} title={title} windowTitle={windowTitle} {...page} />;
}

interface Titles {
  title: string;
  windowTitle?: string;
}
