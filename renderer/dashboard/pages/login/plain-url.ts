const LOGIN_PATH = /^\/(?:pda|hat)login\/?$/i;

/** Maps `/pdalogin?…` and `/hatlogin?…` to the hash route of the login; undefined for other paths. */
export function hashUrlOfLogin(pathname: string, search: string): string | undefined {
  return LOGIN_PATH.test(pathname) ? `/#/pdalogin${search}` : undefined;
}

/**
 * Replaces a login URL without a hash, which some applications use, with its hash route. Must be called before the
 * router is created.
 */
export function rewritePlainLoginUrl(): void {
  const hashUrl = hashUrlOfLogin(location.pathname, location.search);
  if (hashUrl !== undefined) history.replaceState(null, '', hashUrl);
}
