import { useOwnerName } from '../api/queries.ts';
import { HelpLink } from '../../shared/help/help-link.tsx';
import { PageFrame, type PageProps } from '../../shared/layout/page-frame.tsx';

export { type Crumb, Section, useWindowTitle } from '../../shared/layout/page-frame.tsx';

export function Page(page: PageProps) {
  return <PageFrame siteName={useOwnerName()} {...page} help={<HelpLink />} />;
}
