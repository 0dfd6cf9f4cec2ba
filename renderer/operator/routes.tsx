import { type RouteObject, createHashRouter } from 'react-router';
import { ErrorPage } from '../shared/layout/error-page.tsx';
import { MessagePage } from './components/message-page.tsx';
import { SignInGuard } from './layout/sign-in-guard.tsx';
import { SignInPage } from './layout/sign-in-page.tsx';
import { messages } from './messages/texts.ts';

/** Each page is a separate chunk, loaded on demand. */
const pages: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import('./pages/overview/overview-page.tsx')).OverviewPage }) },
  {
    path: 'applications',
    lazy: async () => ({ Component: (await import('./pages/applications/applications-page.tsx')).ApplicationsPage }),
  },
  {
    path: 'applications/:id',
    lazy: async () => ({ Component: (await import('./pages/applications/application-page.tsx')).ApplicationPage }),
  },
  { path: 'offers', lazy: async () => ({ Component: (await import('./pages/offers/offers-page.tsx')).OffersPage }) },
  { path: 'offers/:id', lazy: async () => ({ Component: (await import('./pages/offers/offer-page.tsx')).OfferPage }) },
  { path: 'plugs', lazy: async () => ({ Component: (await import('./pages/plugs/plugs-page.tsx')).PlugsPage }) },
  { path: 'pdas', lazy: async () => ({ Component: (await import('./pages/pdas/pdas-page.tsx')).PdasPage }) },
  { path: 'data', lazy: async () => ({ Component: (await import('./pages/data/data-page.tsx')).DataPage }) },
  {
    path: 'accounts',
    lazy: async () => ({ Component: (await import('./pages/accounts/accounts-page.tsx')).AccountsPage }),
  },
  { path: 'audit', lazy: async () => ({ Component: (await import('./pages/audit/audit-page.tsx')).AuditPage }) },
  { path: '*', element: <MessagePage {...messages.notFound} /> },
];

export const router: ReturnType<typeof createHashRouter> = createHashRouter([
  {
    ErrorBoundary: ErrorPage,
    HydrateFallback: () => null,
    children: [
      { path: '/sign-in', element: <SignInPage /> },
      { path: '/', element: <SignInGuard />, children: pages },
    ],
  },
]);
