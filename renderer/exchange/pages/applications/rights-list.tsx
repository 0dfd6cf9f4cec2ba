import {
  type Icon,
  IconCircleDashed,
  IconCrown,
  IconEye,
  IconFolder,
  IconMessageQuestion,
  IconPencil,
} from '@tabler/icons-react';
import listClasses from '../../../pages/applications/rights-list.module.css';
import tagClasses from '../../../components/tag.module.css';
import { x } from '../../messages/texts.ts';
import type { Right } from './rights.ts';

const SIGNS: Record<Right['kind'], Icon> = {
  owner: IconCrown,
  read: IconEye,
  write: IconPencil,
  files: IconFolder,
  debits: IconMessageQuestion,
  other: IconCircleDashed,
};

interface RightsListProps {
  rights: readonly Right[];
  /** Terms of those that are public already; undefined when nothing is. */
  known: ReadonlySet<string> | undefined;
}

/** Each right on a line of its own; as the application writes it, it stands beside in grey. */
export function RightsList({ rights, known }: RightsListProps) {
  return (
    <ul className={listClasses.rights}>
      {rights.map(({ kind, text, term }) => {
        const Sign = SIGNS[kind];
        return (
          <li key={term} data-kind={kind}>
            <Sign size={18} stroke={1.6} aria-hidden="true" />
            <span>
              {text}{' '}
              {known !== undefined && !known.has(term) && (
                <span className={tagClasses.tag} style={{ color: 'var(--decision)' }}>
                  {x.applications.page.fresh}
                </span>
              )}
            </span>
            <code>{term}</code>
          </li>
        );
      })}
    </ul>
  );
}
