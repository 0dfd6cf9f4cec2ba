/** A public key as people compare it: the SHA-256 of its bytes, in groups of four. Undefined where the browser lacks the means, on pages without https. */
export async function fingerprintOf(pem: string): Promise<string | undefined> {
  // Types say that it is always there; browsers have it on secure pages only.
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle;
  if (subtle === undefined) return undefined;
  const base64 = pem.replaceAll(/-----[^-]*-----|\s/gu, '');
  const bytes = Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
  const hash = new Uint8Array(await subtle.digest('SHA-256', bytes));
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.match(/.{4}/gu)?.join(' ');
}
