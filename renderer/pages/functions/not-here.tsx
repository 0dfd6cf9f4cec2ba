import { MissingPage } from '../../components/missing-page.tsx';
import { m } from '../../messages/texts.ts';

const ALL = { label: m.functions.pageTitle, to: '/functions' };

export const crumbs = [ALL];

/** While a function is loading, or when there is none of that name. */
export function NotHere(props: { error: unknown; retry: () => void }) {
  return <MissingPage {...props} all={ALL} words={m.functions} />;
}
