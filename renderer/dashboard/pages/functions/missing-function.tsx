import { MissingItemPage } from '../../components/missing-item-page.tsx';
import { m } from '../../../shared/messages/texts.ts';

const FUNCTIONS_CRUMB = { label: m.functions.pageTitle, to: '/functions' };

/** Breadcrumbs of all pages about a function. */
export const functionCrumbs = [FUNCTIONS_CRUMB];

/** Page of a function that is loading, failed to load or does not exist. */
export function MissingFunction(props: { error: unknown; retry: () => void }) {
  return <MissingItemPage {...props} list={FUNCTIONS_CRUMB} words={m.functions} />;
}
