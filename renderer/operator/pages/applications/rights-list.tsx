import { RightItems, type RightItem } from '../../../shared/components/right-items.tsx';
import tagClasses from '../../../shared/components/tag.module.css';
import { x } from '../../messages/texts.ts';

interface RightsListProps {
  rights: readonly RightItem[];
  /** Terms of those that are public already; undefined when nothing is. */
  known: ReadonlySet<string> | undefined;
}

/** Rights as the application writes them; those that its published version does not have are marked. */
export function RightsList({ rights, known }: RightsListProps) {
  const mark = ({ term }: RightItem) =>
    known !== undefined && !known.has(term) ? (
      <span className={tagClasses.tag} style={{ color: 'var(--decision)' }}>
        {x.applications.page.fresh}
      </span>
    ) : null;
  return <RightItems rights={rights} mark={mark} />;
}
