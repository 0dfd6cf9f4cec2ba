import { Portal, Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import classes from './drop-overlay.module.css';

export function DropOverlay({ icon: DropIcon, title, hint }: { icon: Icon; title: string; hint: string }) {
  return (
    <Portal>
      <div className={classes.overlay}>
        <DropIcon size={40} stroke={1.25} aria-hidden="true" />
        <Text size="lg" fw={600}>
          {title}
        </Text>
        <Text size="md" c="dimmed" ta="center" maw="32rem">
          {hint}
        </Text>
      </div>
    </Portal>
  );
}
