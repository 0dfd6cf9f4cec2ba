/**
 * Returns the SHA-256 digest of a public key in groups of four hexadecimal digits, for visual comparison. Returns
 * undefined outside secure contexts (HTTPS or localhost), where browsers do not provide `crypto.subtle`.
 */
export async function fingerprintOf(pem: string): Promise<string | undefined> {
  // The DOM types declare `subtle` as always present.
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle;
  if (subtle === undefined) return undefined;
  const base64 = pem.replaceAll(/-----[^-]*-----|\s/gu, '');
  const bytes = Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
  const hash = new Uint8Array(await subtle.digest('SHA-256', bytes));
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.match(/.{4}/gu)?.join(' ');
}
