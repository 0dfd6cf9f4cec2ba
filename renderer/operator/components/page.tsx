import { PageFrame, type PageProps } from '../../shared/layout/page-frame.tsx';
import { messages } from '../messages/texts.ts';

export function Page(page: PageProps) {
  return <PageFrame siteName={messages.product} {...page} />;
}
