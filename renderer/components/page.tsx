import { useOwnerName } from '../api/queries.ts';
import { PageFrame, type PageProps } from './page-frame.tsx';

export { type Crumb, Section, useWindowTitle } from './page-frame.tsx';

/** A page of the dashboard. */
export function Page(page: PageProps) {
  return <PageFrame place={useOwnerName()} {...page} />;
}
