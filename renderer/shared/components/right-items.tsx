import {
  type Icon,
  IconCircleDashed,
  IconCrown,
  IconEye,
  IconFolder,
  IconMessageQuestion,
  IconPencil,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './right-items.module.css';

export interface RightItem {
  kind: 'owner' | 'read' | 'write' | 'files' | 'debits' | 'other';
  text: string;
  /** Technical name of the right, unique within the list. */
  term: string;
  namespace?: string;
}

const ICONS: Record<RightItem['kind'], Icon> = {
  owner: IconCrown,
  read: IconEye,
  write: IconPencil,
  files: IconFolder,
  debits: IconMessageQuestion,
  other: IconCircleDashed,
};

interface RightItemsProps {
  rights: readonly RightItem[];
  /** True if these rights are no longer requested. They are then struck through. */
  isRemoved?: boolean;
  renderSuffix?: (right: RightItem) => ReactNode;
}

export function RightItems({ rights, isRemoved = false, renderSuffix }: RightItemsProps) {
  return (
    <ul className={classes.rights} data-removed={isRemoved || undefined}>
      {rights.map((right) => {
        const RightIcon = ICONS[right.kind];
        return (
          <li key={right.term} data-kind={right.kind}>
            <RightIcon size={18} stroke={1.6} aria-hidden="true" />
            <span>
              {right.text} {renderSuffix?.(right)}
            </span>
            <code>{right.term}</code>
          </li>
        );
      })}
    </ul>
  );
}
