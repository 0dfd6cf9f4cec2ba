import { type RouteObject, createHashRouter } from 'react-router';
import { ErrorPage } from '../shared/layout/error-page.tsx';
import { OwnerGuard } from './layout/owner-guard.tsx';
import { redirectPlainLoginUrl } from './pages/login/plain-url.ts';
import { NotFound } from './pages/not-found.tsx';

redirectPlainLoginUrl();

/** Each page except `NotFound` is a separate chunk, loaded when it is first opened. */
const pages: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./pages/home/home-page.tsx')).HomePage }) },
  {
    path: 'requests',
    lazy: async () => ({ Component: (await import('./pages/requests/requests-layout.tsx')).RequestsLayout }),
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
    // Keys that begin with `~` or with the name of another page, such as `offers`.
    path: 'requests/~/*',
    lazy: async () => ({ Component: (await import('./pages/requests/request-page.tsx')).RequestPage }),
  },
  {
    path: 'requests/*',
    lazy: async () => ({ Component: (await import('./pages/requests/request-page.tsx')).RequestPage }),
  },
  {
    path: 'sharing',
    lazy: async () => ({ Component: (await import('./pages/sharing/sharing-layout.tsx')).SharingLayout }),
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/sharing/sharing-page.tsx')).SharingPage }),
      },
      {
        path: 'links',
        lazy: async () => ({ Component: (await import('./pages/sharing/links/links-page.tsx')).LinksPage }),
      },
      {
        path: 'contracts',
        lazy: async () => ({ Component: (await import('./pages/contracts/contracts-page.tsx')).ContractsPage }),
      },
    ],
  },
  {
    path: 'sharing/guests/:userId',
    lazy: async () => ({
      Component: (await import('./pages/sharing/guest/guest-preview-page.tsx')).GuestPreviewPage,
    }),
  },
  {
    path: 'sharing/links/:linkId',
    lazy: async () => ({
      Component: (await import('./pages/sharing/links/link-preview-page.tsx')).LinkPreviewPage,
    }),
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
    lazy: async () => ({ Component: (await import('./pages/data/data-layout.tsx')).DataLayout }),
    children: [
      {
        index: true,
        lazy: async () => ({ Component: (await import('./pages/data/endpoints/endpoints-page.tsx')).EndpointsPage }),
      },
      {
        path: 'endpoint/*',
        lazy: async () => ({ Component: (await import('./pages/data/records/records-page.tsx')).RecordsPage }),
      },
      {
        path: 'record/:id',
        lazy: async () => ({ Component: (await import('./pages/data/record-redirect.tsx')).RecordRedirect }),
      },
      {
        path: 'notes',
        lazy: async () => ({ Component: (await import('./pages/notes/notes-page.tsx')).NotesPage }),
      },
      {
        path: 'deleted',
        lazy: async () => ({ Component: (await import('./pages/data/deletions/deletions-page.tsx')).DeletionsPage }),
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
    lazy: async () => ({ Component: (await import('./pages/files/files-layout.tsx')).FilesLayout }),
    children: [
      { index: true, lazy: async () => ({ Component: (await import('./pages/files/files-page.tsx')).FilesPage }) },
      {
        path: 'deleted',
        lazy: async () => ({
          Component: (await import('./pages/files/deletion/deleted-files-page.tsx')).DeletedFilesPage,
        }),
      },
      {
        path: 'uploads',
        lazy: async () => ({ Component: (await import('./pages/files/uploads/uploads-page.tsx')).UploadsPage }),
      },
      {
        path: 'space',
        lazy: async () => ({ Component: (await import('./pages/files/space/space-page.tsx')).SpacePage }),
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
        lazy: async () => ({ Component: (await import('./pages/functions/consent/enable-page.tsx')).EnablePage }),
      },
      {
        path: ':id/dry-run',
        lazy: async () => ({ Component: (await import('./pages/functions/dry-run/dry-run-page.tsx')).DryRunPage }),
      },
      {
        path: ':id/runs',
        lazy: async () => ({ Component: (await import('./pages/functions/runs/runs-page.tsx')).RunsPage }),
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
    lazy: async () => ({ Component: (await import('./pages/settings/settings-layout.tsx')).SettingsLayout }),
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
        lazy: async () => ({ Component: (await import('./pages/settings/users/users-page.tsx')).UsersPage }),
      },
      {
        path: 'network',
        lazy: async () => ({ Component: (await import('./pages/settings/network/network-page.tsx')).NetworkPage }),
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

// With a hash router, links work at every address of the PDA and behind every proxy.
export const router: ReturnType<typeof createHashRouter> = createHashRouter([
  {
    ErrorBoundary: ErrorPage,
    HydrateFallback: () => null,
    children: [
      { path: '/setup', lazy: async () => ({ Component: (await import('./pages/setup/setup-page.tsx')).SetupPage }) },
      {
        path: '/sign-in',
        lazy: async () => ({ Component: (await import('./pages/sign-in/sign-in-page.tsx')).SignInPage }),
      },
      // Login URLs to which applications redirect. Older applications use `hatlogin`.
      ...['/pdalogin', '/hatlogin'].map((path) => ({
        path,
        lazy: async () => ({ Component: (await import('./pages/login/login-page.tsx')).LoginPage }),
      })),
      { path: '/', Component: OwnerGuard, children: [{ ErrorBoundary: ErrorPage, children: pages }] },
    ],
  },
]);
