import { Navigate, useLocation } from 'react-router';
import { LoadError } from '../feedback/states.tsx';

/** Redirects to the sign-in and back. */

export function RedirectToSignIn() {
  const { pathname, search } = useLocation();
  const here = pathname + search;
  return <Navigate to={here === '/' ? '/sign-in' : `/sign-in?then=${encodeURIComponent(here)}`} replace />;
}

/** Redirects to pages of this application only: a URL from outside must not lead elsewhere. */
export function RedirectBack({ to }: { to: string | null }) {
  return <Navigate to={to !== null && /^\/(?![/\\])/.test(to) ? to : '/'} replace />;
}

interface SignInCheckFailedProps {
  product: string;
  found: { error: unknown; refetch: () => Promise<unknown> };
}

/** Shown while the sign-in state cannot be determined. */
export function SignInCheckFailed({ product, found }: SignInCheckFailedProps) {
  return (
    <main style={{ padding: '2.5rem' }}>
      <h1 hidden>{product}</h1>
      <LoadError error={found.error} retry={() => void found.refetch()} />
    </main>
  );
}
