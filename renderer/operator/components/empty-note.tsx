import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Short note in place of or above a list. */
export function EmptyNote({ children }: { children: ReactNode }) {
  return (
    <Text c="dimmed" mb="sm">
      {children}
    </Text>
  );
}
