import { Navigate, useLocation } from 'react-router';
import { LoadError } from '../feedback/states.tsx';

/** Redirects to the sign-in and back. */

export function RedirectToSignIn() {
  const { pathname, search } = useLocation();
  const currentPath = pathname + search;
  return (
    <Navigate to={currentPath === '/' ? '/sign-in' : `/sign-in?then=${encodeURIComponent(currentPath)}`} replace />
  );
}

/** Redirects to pages of this application only: a URL from outside must not lead elsewhere. */
export function RedirectBack({ to }: { to: string | null }) {
  return <Navigate to={to !== null && /^\/(?![/\\])/.test(to) ? to : '/'} replace />;
}

interface SignInCheckFailedProps {
  product: string;
  query: { error: unknown; refetch: () => Promise<unknown> };
}

/** Shown while the sign-in state cannot be determined. */
export function SignInCheckError({ product, query }: SignInCheckFailedProps) {
  return (
    <main style={{ padding: '2.5rem' }}>
      <h1 hidden>{product}</h1>
      <LoadError error={query.error} retry={() => void query.refetch()} />
    </main>
  );
}
