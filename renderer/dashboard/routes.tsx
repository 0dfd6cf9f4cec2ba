import { type RouteObject, createHashRouter } from 'react-router';
import { ErrorPage } from '../shared/layout/error-page.tsx';
import { lazyPage } from '../shared/layout/navigation.ts';
import { OwnerGuard } from './layout/owner-guard.tsx';
import { rewritePlainLoginUrl } from './pages/login/plain-url.ts';
import { NotFound } from './pages/not-found.tsx';

rewritePlainLoginUrl();

const pages: RouteObject[] = [
  { index: true, lazy: lazyPage(() => import('./pages/home/home-page.tsx'), 'HomePage') },
  {
    path: 'requests',
    lazy: lazyPage(() => import('./pages/requests/requests-layout.tsx'), 'RequestsLayout'),
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/requests/requests-page.tsx'), 'RequestsPage') },
      { path: 'offers', lazy: lazyPage(() => import('./pages/offers/offers-page.tsx'), 'OffersPage') },
    ],
  },
  { path: 'requests/offers/:offerId', lazy: lazyPage(() => import('./pages/offers/offer-page.tsx'), 'OfferPage') },
  {
    // For Data Debits whose key begins with `~` or with the name of another page, such as `offers`.
    path: 'requests/~/*',
    lazy: lazyPage(() => import('./pages/requests/request-page.tsx'), 'RequestPage'),
  },
  { path: 'requests/*', lazy: lazyPage(() => import('./pages/requests/request-page.tsx'), 'RequestPage') },
  {
    path: 'sharing',
    lazy: lazyPage(() => import('./pages/sharing/sharing-layout.tsx'), 'SharingLayout'),
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/sharing/sharing-page.tsx'), 'SharingPage') },
      { path: 'links', lazy: lazyPage(() => import('./pages/sharing/links/links-page.tsx'), 'LinksPage') },
      { path: 'contracts', lazy: lazyPage(() => import('./pages/contracts/contracts-page.tsx'), 'ContractsPage') },
    ],
  },
  {
    path: 'sharing/guests/:userId',
    lazy: lazyPage(() => import('./pages/sharing/guest/guest-preview-page.tsx'), 'GuestPreviewPage'),
  },
  {
    path: 'sharing/links/:linkId',
    lazy: lazyPage(() => import('./pages/sharing/links/link-preview-page.tsx'), 'LinkPreviewPage'),
  },
  { path: 'sharing/~/*', lazy: lazyPage(() => import('./pages/sharing/consent-page.tsx'), 'ConsentPage') },
  { path: 'sharing/*', lazy: lazyPage(() => import('./pages/sharing/consent-page.tsx'), 'ConsentPage') },
  {
    path: 'data',
    lazy: lazyPage(() => import('./pages/data/data-layout.tsx'), 'DataLayout'),
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/data/endpoints/endpoints-page.tsx'), 'EndpointsPage') },
      { path: 'endpoint/*', lazy: lazyPage(() => import('./pages/data/records/records-page.tsx'), 'RecordsPage') },
      { path: 'record/:id', lazy: lazyPage(() => import('./pages/data/record-redirect.tsx'), 'RecordRedirect') },
      { path: 'notes', lazy: lazyPage(() => import('./pages/notes/notes-page.tsx'), 'NotesPage') },
      { path: 'deleted', lazy: lazyPage(() => import('./pages/data/deletions/deletions-page.tsx'), 'DeletionsPage') },
      { path: 'imports', lazy: lazyPage(() => import('./pages/imports/imports-page.tsx'), 'ImportsPage') },
      { path: 'imports/:id', lazy: lazyPage(() => import('./pages/imports/import-page.tsx'), 'ImportPage') },
    ],
  },
  {
    path: 'files',
    lazy: lazyPage(() => import('./pages/files/files-layout.tsx'), 'FilesLayout'),
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/files/files-page.tsx'), 'FilesPage') },
      {
        path: 'deleted',
        lazy: lazyPage(() => import('./pages/files/deletion/deleted-files-page.tsx'), 'DeletedFilesPage'),
      },
      { path: 'uploads', lazy: lazyPage(() => import('./pages/files/uploads/uploads-page.tsx'), 'UploadsPage') },
      { path: 'space', lazy: lazyPage(() => import('./pages/files/space/space-page.tsx'), 'SpacePage') },
    ],
  },
  {
    path: 'applications',
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/applications/applications-page.tsx'), 'ApplicationsPage') },
      { path: ':id', lazy: lazyPage(() => import('./pages/applications/application-page.tsx'), 'ApplicationPage') },
      { path: ':id/setup', lazy: lazyPage(() => import('./pages/applications/set-up-page.tsx'), 'SetUpPage') },
      { path: ':id/view', lazy: lazyPage(() => import('./pages/applications/view-page.tsx'), 'ViewPage') },
    ],
  },
  { path: 'timeline', lazy: lazyPage(() => import('./pages/timeline/timeline-page.tsx'), 'TimelinePage') },
  {
    path: 'functions',
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/functions/functions-page.tsx'), 'FunctionsPage') },
      { path: ':id', lazy: lazyPage(() => import('./pages/functions/function-page.tsx'), 'FunctionPage') },
      { path: ':id/enable', lazy: lazyPage(() => import('./pages/functions/consent/enable-page.tsx'), 'EnablePage') },
      { path: ':id/dry-run', lazy: lazyPage(() => import('./pages/functions/dry-run/dry-run-page.tsx'), 'DryRunPage') },
      { path: ':id/runs', lazy: lazyPage(() => import('./pages/functions/runs/runs-page.tsx'), 'RunsPage') },
    ],
  },
  {
    path: 'history',
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/history/history-page.tsx'), 'HistoryPage') },
      { path: 'messages', lazy: lazyPage(() => import('./pages/history/messages-page.tsx'), 'MessagesPage') },
    ],
  },
  {
    path: 'settings',
    lazy: lazyPage(() => import('./pages/settings/settings-layout.tsx'), 'SettingsLayout'),
    children: [
      { index: true, lazy: lazyPage(() => import('./pages/settings/security-page.tsx'), 'SecurityPage') },
      { path: 'security', lazy: lazyPage(() => import('./pages/settings/security-page.tsx'), 'SecurityPage') },
      { path: 'address', lazy: lazyPage(() => import('./pages/exposure/exposure-page.tsx'), 'ExposurePage') },
      { path: 'profile', lazy: lazyPage(() => import('./pages/profile/profile-page.tsx'), 'ProfilePage') },
      { path: 'backup', lazy: lazyPage(() => import('./pages/backup/backup-page.tsx'), 'BackupPage') },
      { path: 'people', lazy: lazyPage(() => import('./pages/settings/users/users-page.tsx'), 'UsersPage') },
      { path: 'network', lazy: lazyPage(() => import('./pages/settings/network/network-page.tsx'), 'NetworkPage') },
      { path: 'move', lazy: lazyPage(() => import('./pages/move/move-page.tsx'), 'MovePage') },
      { path: 'erase', lazy: lazyPage(() => import('./pages/erasure/erasure-page.tsx'), 'ErasurePage') },
      { path: 'api', lazy: lazyPage(() => import('./pages/api-docs/api-page.tsx'), 'ApiPage') },
      { path: 'about', lazy: lazyPage(() => import('./pages/settings/about-page.tsx'), 'AboutPage') },
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
      { path: '/setup', lazy: lazyPage(() => import('./pages/setup/setup-page.tsx'), 'SetupPage') },
      { path: '/sign-in', lazy: lazyPage(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage') },
      // Login URLs to which applications redirect. Older applications use `hatlogin`.
      ...['/pdalogin', '/hatlogin'].map((path) => ({
        path,
        lazy: lazyPage(() => import('./pages/login/login-page.tsx'), 'LoginPage'),
      })),
      { path: '/', Component: OwnerGuard, children: [{ ErrorBoundary: ErrorPage, children: pages }] },
    ],
  },
]);
