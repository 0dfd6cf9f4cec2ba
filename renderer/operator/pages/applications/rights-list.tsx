import { RightItems, type RightItem } from '../../../shared/components/right-items.tsx';
import tagClasses from '../../../shared/components/tag.module.css';
import { messages } from '../../messages/texts.ts';

interface RightsListProps {
  rights: readonly RightItem[];
  /** Terms of the published version's rights; undefined if there is no earlier version to compare with. */
  publishedTerms: ReadonlySet<string> | undefined;
}

export function RightsList({ rights, publishedTerms }: RightsListProps) {
  const renderNewLabel = ({ term }: RightItem) =>
    publishedTerms !== undefined && !publishedTerms.has(term) ? (
      <span className={tagClasses.tag} style={{ color: 'var(--decision)' }}>
        {messages.applications.page.newLabel}
      </span>
    ) : null;
  return <RightItems rights={rights} renderSuffix={renderNewLabel} />;
}
