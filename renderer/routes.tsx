import { type RouteObject, createHashRouter } from 'react-router';
import { Crash } from './layout/crash.tsx';
import { OwnerOnly } from './layout/owner-only.tsx';
import { takePlainAddress } from './pages/login/plain-address.ts';
import { NotFound } from './pages/not-found.tsx';

takePlainAddress();

/** Each page is a file of its own, loaded when it is first opened. */

const pages: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./pages/home/home-page.tsx')).HomePage }) },
  {
    path: 'requests',
    lazy: async () => ({ Component: (await import('./pages/requests/requests-room.tsx')).RequestsRoom }),
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/requests/requests-page.tsx')).RequestsPage }),
      },
      {
        path: 'offers',
        lazy: async () => ({ Component: (await import('./pages/offers/offers-page.tsx')).OffersPage }),
      },
    ],
  },
  {
    path: 'requests/offers/:offerId',
    lazy: async () => ({ Component: (await import('./pages/offers/offer-page.tsx')).OfferPage }),
  },
  {
    // A key that would be one of the addresses above.
    path: 'requests/~/*',
    lazy: async () => ({ Component: (await import('./pages/requests/request-page.tsx')).RequestPage }),
  },
  {
    path: 'requests/*',
    lazy: async () => ({ Component: (await import('./pages/requests/request-page.tsx')).RequestPage }),
  },
  {
    path: 'sharing',
    lazy: async () => ({ Component: (await import('./pages/sharing/sharing-room.tsx')).SharingRoom }),
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/sharing/sharing-page.tsx')).SharingPage }),
      },
      {
        path: 'contracts',
        lazy: async () => ({ Component: (await import('./pages/contracts/contracts-page.tsx')).ContractsPage }),
      },
    ],
  },
  {
    path: 'sharing/~/*',
    lazy: async () => ({ Component: (await import('./pages/sharing/consent-page.tsx')).ConsentPage }),
  },
  {
    path: 'sharing/*',
    lazy: async () => ({ Component: (await import('./pages/sharing/consent-page.tsx')).ConsentPage }),
  },
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
    path: 'files',
    lazy: async () => ({ Component: (await import('./pages/files/files-room.tsx')).FilesRoom }),
    children: [
      { index: true, lazy: async () => ({ Component: (await import('./pages/files/files-page.tsx')).FilesPage }) },
      {
        path: 'deleted',
        lazy: async () => ({ Component: (await import('./pages/files/deleted-files-page.tsx')).DeletedFilesPage }),
      },
      {
        path: 'uploads',
        lazy: async () => ({ Component: (await import('./pages/files/uploads-page.tsx')).UploadsPage }),
      },
      {
        path: 'space',
        lazy: async () => ({ Component: (await import('./pages/files/space-page.tsx')).SpacePage }),
      },
    ],
  },
  {
    path: 'applications',
    children: [
      {
        index: true,
        lazy: async () => ({
          Component: (await import('./pages/applications/applications-page.tsx')).ApplicationsPage,
        }),
      },
      {
        path: ':id',
        lazy: async () => ({ Component: (await import('./pages/applications/application-page.tsx')).ApplicationPage }),
      },
      {
        path: ':id/setup',
        lazy: async () => ({ Component: (await import('./pages/applications/set-up-page.tsx')).SetUpPage }),
      },
      {
        path: ':id/view',
        lazy: async () => ({ Component: (await import('./pages/applications/view-page.tsx')).ViewPage }),
      },
    ],
  },
  {
    path: 'timeline',
    lazy: async () => ({ Component: (await import('./pages/timeline/timeline-page.tsx')).TimelinePage }),
  },
  {
    path: 'functions',
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/functions/functions-page.tsx')).FunctionsPage }),
      },
      {
        path: ':id',
        lazy: async () => ({ Component: (await import('./pages/functions/function-page.tsx')).FunctionPage }),
      },
      {
        path: ':id/enable',
        lazy: async () => ({ Component: (await import('./pages/functions/enable-page.tsx')).EnablePage }),
      },
      {
        path: ':id/dry-run',
        lazy: async () => ({ Component: (await import('./pages/functions/dry-run-page.tsx')).DryRunPage }),
      },
      {
        path: ':id/runs',
        lazy: async () => ({ Component: (await import('./pages/functions/runs-page.tsx')).RunsPage }),
      },
    ],
  },
  {
    path: 'history',
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/history/history-page.tsx')).HistoryPage }),
      },
      {
        path: 'messages',
        lazy: async () => ({ Component: (await import('./pages/history/messages-page.tsx')).MessagesPage }),
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
      {
        path: 'address',
        lazy: async () => ({ Component: (await import('./pages/exposure/exposure-page.tsx')).ExposurePage }),
      },
      {
        path: 'profile',
        lazy: async () => ({ Component: (await import('./pages/profile/profile-page.tsx')).ProfilePage }),
      },
      {
        path: 'backup',
        lazy: async () => ({ Component: (await import('./pages/backup/backup-page.tsx')).BackupPage }),
      },
      {
        path: 'people',
        lazy: async () => ({ Component: (await import('./pages/settings/people-page.tsx')).PeoplePage }),
      },
      {
        path: 'network',
        lazy: async () => ({ Component: (await import('./pages/settings/network-page.tsx')).NetworkPage }),
      },
      {
        path: 'move',
        lazy: async () => ({ Component: (await import('./pages/move/move-page.tsx')).MovePage }),
      },
      {
        path: 'erase',
        lazy: async () => ({ Component: (await import('./pages/erasure/erasure-page.tsx')).ErasurePage }),
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
      // Applications send people here: `hatlogin` in what was written for older servers.
      ...['/pdalogin', '/hatlogin'].map((path) => ({
        path,
        lazy: async () => ({ Component: (await import('./pages/login/login-page.tsx')).LoginPage }),
      })),
      { path: '/', Component: OwnerOnly, children: [{ ErrorBoundary: Crash, children: pages }] },
    ],
  },
]);
