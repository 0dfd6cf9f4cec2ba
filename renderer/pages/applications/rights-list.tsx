import { Text } from '@mantine/core';
import { type Icon, IconCrown, IconEye, IconFolder, IconMessageQuestion, IconPencil } from '@tabler/icons-react';
import { m } from '../../messages/texts.ts';
import classes from './rights-list.module.css';
import type { Right } from './rights.ts';

const SIGNS: Record<Right['kind'], Icon> = {
  owner: IconCrown,
  read: IconEye,
  write: IconPencil,
  files: IconFolder,
  debits: IconMessageQuestion,
};

interface RightsListProps {
  rights: readonly Right[];
  /** Roles that are named and give nothing. */
  other?: readonly string[];
  /** Struck out: what is no longer asked. */
  gone?: boolean;
}

const NONE: readonly string[] = [];

/** Each right on a line of its own; what a developer calls it stands beside in grey. */
export function RightsList({ rights, other = NONE, gone = false }: RightsListProps) {
  return (
    <>
      {rights.length > 0 && (
        <ul className={classes.rights} data-gone={gone || undefined}>
          {rights.map(({ kind, text, term }) => {
            const Sign = SIGNS[kind];
            return (
              <li key={term} data-kind={kind}>
                <Sign size={18} stroke={1.6} aria-hidden="true" />
                <span>{text}</span>
                <code>{term}</code>
              </li>
            );
          })}
        </ul>
      )}
      {other.length > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {m.applications.rights.other(other)}
        </Text>
      )}
    </>
  );
}
