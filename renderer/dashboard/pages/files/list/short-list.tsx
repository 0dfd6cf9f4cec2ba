import { Button } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { useState } from 'react';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './folder-bar.module.css';

const MAX_SHOWN_ITEMS = 12;

interface ShortListProps {
  items: readonly { id: string; name: string }[];
  icon: Icon;
  open: (id: string) => void;
}

export function ShortList({ items, icon: ItemIcon, open }: ShortListProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shownItems = showsAll ? items : items.slice(0, MAX_SHOWN_ITEMS);
  return (
    <ul className={classes.items}>
      {shownItems.map(({ id, name }) => (
        <li key={id}>
          <Button
            size="xs"
            variant="default"
            leftSection={<ItemIcon size={16} stroke={1.6} />}
            onClick={() => open(id)}
          >
            <UntrustedText>{name}</UntrustedText>
          </Button>
        </li>
      ))}
      {items.length > shownItems.length && (
        <li>
          <Button size="xs" variant="subtle" onClick={() => setShowsAll(true)}>
            {m.shell.showMore(items.length - shownItems.length)}
          </Button>
        </li>
      )}
    </ul>
  );
}
