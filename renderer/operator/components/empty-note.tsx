import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A sentence in place of a list, or before one. */
export function EmptyNote({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" mb="sm">
      {children}
    </Text>
  );
}
