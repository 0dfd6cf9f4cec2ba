/** Whether a token is the owner's. Only for what to show: what a token may do is decided by the PDA. */
export function isOwnerToken(token: string): boolean {
  try {
    const [, payload = ''] = token.split('.');
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null && 'accessScope' in claims && claims.accessScope === 'owner';
  } catch {
    return false;
  }
}
