import { useOwnerName } from '../api/queries.ts';
import { HelpLink } from '../../shared/help/help-link.tsx';
import { PageFrame, type PageProps } from '../../shared/layout/page-frame.tsx';

export { type Crumb, Section, useWindowTitle } from '../../shared/layout/page-frame.tsx';

/** A page of the dashboard, with the way to what the guide says about it. */
export function Page({ actions, ...page }: PageProps) {
  const beside = (
    <>
      {actions}
      <HelpLink />
    </>
  );
  return <PageFrame place={useOwnerName()} {...page} actions={beside} />;
}
