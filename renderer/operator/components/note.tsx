import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function Note({ children }: { children: ReactNode }) {
  return (
    <Text c="dimmed" mb="sm">
      {children}
    </Text>
  );
}
