import { Navigate, useLocation } from 'react-router';
import type { SessionEnd } from '../api/session.ts';
import { LoadError } from '../feedback/states.tsx';

/** Redirects to the sign-in page, which returns to the current page afterwards. */
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

/**
 * Returns the sign-in page's notice about the end of the previous session; undefined if there is none. If the session
 * ended in any way other than a sign-out, there is a notice only if the sign-in returns to a page.
 * @param returnPath page to which the sign-in returns
 */
export function sessionEndText(
  texts: { signedOut: string; ended: string },
  end: SessionEnd | undefined,
  returnPath: string | null,
): string | undefined {
  if (end === 'signed-out') return texts.signedOut;
  return end === 'ended' && returnPath !== null ? texts.ended : undefined;
}

interface SignInCheckErrorProps {
  product: string;
  query: { error: unknown; refetch: () => Promise<unknown> };
}

export function SignInCheckError({ product, query }: SignInCheckErrorProps) {
  return (
    <main style={{ padding: '2.5rem' }}>
      <h1 hidden>{product}</h1>
      <LoadError error={query.error} retry={() => void query.refetch()} />
    </main>
  );
}
