import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ComponentProps, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { queryClient } from './api/query-client.ts';
import { restoreFocusAfterActions } from './keyboard/restore-focus.ts';
import { cssVariables } from './theme/colours.ts';
import { theme } from './theme/theme.ts';

const COLOR_SCHEME_ATTRIBUTE = 'data-mantine-color-scheme';

/** Prints in light colours. Browsers print without backgrounds, so the light text of the dark colours is unreadable. */
function printInLightColours(): void {
  const root = document.documentElement;
  let screenScheme: string | null = null;
  addEventListener('beforeprint', () => {
    screenScheme = root.getAttribute(COLOR_SCHEME_ATTRIBUTE);
    root.setAttribute(COLOR_SCHEME_ATTRIBUTE, 'light');
  });
  addEventListener('afterprint', () => {
    if (screenScheme !== null) root.setAttribute(COLOR_SCHEME_ATTRIBUTE, screenScheme);
  });
}

export function renderApp(router: ComponentProps<typeof RouterProvider>['router']): void {
  const root = document.querySelector('#root');
  if (root === null) throw new Error('index.html has no #root');
  printInLightColours();
  restoreFocusAfterActions();
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
          <RouterProvider router={router} />
          <Notifications position="bottom-right" transitionDuration={120} limit={4} />
        </MantineProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
