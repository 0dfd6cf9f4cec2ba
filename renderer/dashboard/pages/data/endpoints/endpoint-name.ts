/** Names of endpoints as a person types them. The PDA has the last word; this is for saying so while one types. */

const SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[\p{L}\p{N}\p{M}\-._~]+`;
const ENDPOINT = new RegExp(`^${SEGMENT}(?:/${SEGMENT})+$`, 'u');

export function isEndpoint(text: string): boolean {
  return text.length <= 400 && ENDPOINT.test(text);
}

/** A first suggestion from a file name: `My Movies (2).json` becomes `imported/my-movies-2`. */
export function suggestEndpoint(fileName: string): string {
  const stem = fileName.replace(/\.(?:json|ndjson|jsonl|csv|tsv|txt)(?:\.gz)?$/i, '');
  const name = stem
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}._~-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return `imported/${name === '' ? 'file' : name}`;
}
