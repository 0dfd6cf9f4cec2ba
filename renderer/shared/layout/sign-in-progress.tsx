import { Navigate, useLocation } from 'react-router';
import { LoadError } from '../feedback/states.tsx';

/** Redirects to the sign-in page, which then leads back to the current page. */
export function RedirectToSignIn() {
  const { pathname, search } = useLocation();
  const currentPath = pathname + search;
  return (
    <Navigate to={currentPath === '/' ? '/sign-in' : `/sign-in?then=${encodeURIComponent(currentPath)}`} replace />
  );
}

/** Redirects within this application only, so that a crafted URL cannot lead to another site. */
export function RedirectBack({ to }: { to: string | null }) {
  return <Navigate to={to !== null && /^\/(?![/\\])/.test(to) ? to : '/'} replace />;
}

interface SignInCheckErrorProps {
  product: string;
  query: { error: unknown; refetch: () => Promise<unknown> };
}

/** Shown while the sign-in state cannot be determined. */
export function SignInCheckError({ product, query }: SignInCheckErrorProps) {
  return (
    <main style={{ padding: '2.5rem' }}>
      <h1 hidden>{product}</h1>
      <LoadError error={query.error} retry={() => void query.refetch()} />
    </main>
  );
}
