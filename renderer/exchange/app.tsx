import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { RouterProvider } from 'react-router/dom';
import { queryClient } from '../api/queries.ts';
import { cssVariables, theme } from '../theme.ts';
import { router } from './routes.tsx';

export function App() {
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
          <RouterProvider router={router} />
          <Notifications position="bottom-right" transitionDuration={120} limit={4} />
        </MantineProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}
