import { MissingItemPage } from '../../components/missing-item-page.tsx';
import { m } from '../../../shared/messages/texts.ts';

const FUNCTIONS_CRUMB = { label: m.functions.pageTitle, to: '/functions' };

export const functionCrumbs = [FUNCTIONS_CRUMB];

export function MissingFunction(props: { error: unknown; retry: () => void }) {
  return <MissingItemPage {...props} list={FUNCTIONS_CRUMB} words={m.functions} />;
}
