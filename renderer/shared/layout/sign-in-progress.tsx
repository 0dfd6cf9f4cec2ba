import { Navigate, useLocation } from 'react-router';
import { LoadError } from '../feedback/states.tsx';

/** The way to the page where one signs in, and from there back to where one was. */

export function RedirectToSignIn() {
  const { pathname, search } = useLocation();
  const here = pathname + search;
  return <Navigate to={here === '/' ? '/sign-in' : `/sign-in?then=${encodeURIComponent(here)}`} replace />;
}

/** Only places of these pages: an address from elsewhere must not lead anywhere else. */
export function RedirectBack({ to }: { to: string | null }) {
  return <Navigate to={to !== null && /^\/(?![/\\])/.test(to) ? to : '/'} replace />;
}

interface SignInCheckFailedProps {
  product: string;
  found: { error: unknown; refetch: () => Promise<unknown> };
}

/** In the place of everything, while it cannot be known who is there. */
export function SignInCheckFailed({ product, found }: SignInCheckFailedProps) {
  return (
    <main style={{ padding: '2.5rem' }}>
      <h1 hidden>{product}</h1>
      <LoadError error={found.error} retry={() => void found.refetch()} />
    </main>
  );
}
