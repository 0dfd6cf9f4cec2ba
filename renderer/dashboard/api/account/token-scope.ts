/** Returns true if the token claims owner scope. For display only: the PDA decides what a token may do. */
export function isOwnerToken(token: string): boolean {
  try {
    const [, payload = ''] = token.split('.');
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null && 'accessScope' in claims && claims.accessScope === 'owner';
  } catch {
    return false;
  }
}
