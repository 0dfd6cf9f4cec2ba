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
  /** What a developer would look for. */
  term: string;
}

const SIGNS: Record<RightItem['kind'], Icon> = {
  owner: IconCrown,
  read: IconEye,
  write: IconPencil,
  files: IconFolder,
  debits: IconMessageQuestion,
  other: IconCircleDashed,
};

interface RightItemsProps {
  rights: readonly RightItem[];
  /** Struck out: what is no longer asked. */
  gone?: boolean;
  /** What stands behind the text of a right. */
  mark?: (right: RightItem) => ReactNode;
}

/** Each right of an application on a line of its own; what a developer calls it stands beside in grey. */
export function RightItems({ rights, gone = false, mark }: RightItemsProps) {
  return (
    <ul className={classes.rights} data-gone={gone || undefined}>
      {rights.map((right) => {
        const Sign = SIGNS[right.kind];
        return (
          <li key={right.term} data-kind={right.kind}>
            <Sign size={18} stroke={1.6} aria-hidden="true" />
            <span>
              {right.text} {mark?.(right)}
            </span>
            <code>{right.term}</code>
          </li>
        );
      })}
    </ul>
  );
}
