import { type RouteObject, createHashRouter } from 'react-router';
import { Crash } from './layout/crash.tsx';
import { OwnerOnly } from './layout/owner-only.tsx';
import { NotFound } from './pages/not-found.tsx';

/** Each page is a file of its own, loaded when it is first opened. */

const pages: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./pages/home/home-page.tsx')).HomePage }) },
  {
    path: 'data',
    lazy: async () => ({ Component: (await import('./pages/data/data-room.tsx')).DataRoom }),
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/data/endpoints-page.tsx')).EndpointsPage }),
      },
      {
        path: 'endpoint/*',
        lazy: async () => ({ Component: (await import('./pages/data/records-page.tsx')).RecordsPage }),
      },
      {
        path: 'record/:id',
        lazy: async () => ({ Component: (await import('./pages/data/record-link.tsx')).RecordLink }),
      },
      {
        path: 'deleted',
        lazy: async () => ({ Component: (await import('./pages/data/deleted-page.tsx')).DeletedPage }),
      },
      {
        path: 'imports',
        lazy: async () => ({ Component: (await import('./pages/imports/imports-page.tsx')).ImportsPage }),
      },
      {
        path: 'imports/:id',
        lazy: async () => ({ Component: (await import('./pages/imports/import-page.tsx')).ImportPage }),
      },
    ],
  },
  {
    path: 'settings',
    lazy: async () => ({ Component: (await import('./pages/settings/settings-frame.tsx')).SettingsFrame }),
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/settings/security-page.tsx')).SecurityPage }),
      },
      {
        path: 'security',
        lazy: async () => ({ Component: (await import('./pages/settings/security-page.tsx')).SecurityPage }),
      },
      { path: 'api', lazy: async () => ({ Component: (await import('./pages/api-docs/api-page.tsx')).ApiPage }) },
      { path: 'about', lazy: async () => ({ Component: (await import('./pages/settings/about-page.tsx')).AboutPage }) },
    ],
  },
  { path: '*', Component: NotFound },
];

// The hash carries the place: a link keeps working at every address that the PDA has, and behind every proxy.
export const router: ReturnType<typeof createHashRouter> = createHashRouter([
  {
    ErrorBoundary: Crash,
    HydrateFallback: () => null,
    children: [
      { path: '/setup', lazy: async () => ({ Component: (await import('./pages/setup/setup-page.tsx')).SetupPage }) },
      {
        path: '/sign-in',
        lazy: async () => ({ Component: (await import('./pages/sign-in/sign-in-page.tsx')).SignInPage }),
      },
      { path: '/', Component: OwnerOnly, children: [{ ErrorBoundary: Crash, children: pages }] },
    ],
  },
]);
