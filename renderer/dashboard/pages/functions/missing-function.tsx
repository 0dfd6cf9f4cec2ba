import { MissingItemPage } from '../../components/missing-item-page.tsx';
import { m } from '../../../shared/messages/texts.ts';

const ALL = { label: m.functions.pageTitle, to: '/functions' };

export const functionCrumbs = [ALL];

/** While a function is loading, or when there is none of that name. */
export function MissingFunction(props: { error: unknown; retry: () => void }) {
  return <MissingItemPage {...props} all={ALL} words={m.functions} />;
}
