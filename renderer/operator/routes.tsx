import { type RouteObject, createHashRouter } from 'react-router';
import { ErrorPage } from '../shared/layout/error-page.tsx';
import { lazyPage } from '../shared/layout/navigation.ts';
import { MessagePage } from './components/message-page.tsx';
import { RoleGuard, SignInGuard } from './layout/sign-in-guard.tsx';
import { SignInPage } from './layout/sign-in-page.tsx';
import { messages } from './messages/texts.ts';

const pages: RouteObject[] = [
  { index: true, lazy: lazyPage(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage') },
  { path: 'data', lazy: lazyPage(() => import('./pages/data/data-page.tsx'), 'DataPage') },
  {
    element: <RoleGuard role="developer" />,
    children: [
      {
        path: 'applications',
        lazy: lazyPage(() => import('./pages/applications/applications-page.tsx'), 'ApplicationsPage'),
      },
      {
        path: 'applications/:id',
        lazy: lazyPage(() => import('./pages/applications/application-page.tsx'), 'ApplicationPage'),
      },
    ],
  },
  {
    element: <RoleGuard role="marketPlace" />,
    children: [
      { path: 'offers', lazy: lazyPage(() => import('./pages/offers/offers-page.tsx'), 'OffersPage') },
      { path: 'offers/:id', lazy: lazyPage(() => import('./pages/offers/offer-page.tsx'), 'OfferPage') },
    ],
  },
  {
    element: <RoleGuard role="dataPlug" />,
    children: [{ path: 'plugs', lazy: lazyPage(() => import('./pages/plugs/plugs-page.tsx'), 'PlugsPage') }],
  },
  {
    element: <RoleGuard role="administrator" />,
    children: [
      { path: 'pdas', lazy: lazyPage(() => import('./pages/pdas/pdas-page.tsx'), 'PdasPage') },
      { path: 'accounts', lazy: lazyPage(() => import('./pages/accounts/accounts-page.tsx'), 'AccountsPage') },
      { path: 'audit', lazy: lazyPage(() => import('./pages/audit/audit-page.tsx'), 'AuditPage') },
    ],
  },
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
