const MAX_ENDPOINT_CHARS = 400;
const SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[\p{L}\p{N}\p{M}\-._~]+`;
const ENDPOINT = new RegExp(`^${SEGMENT}(?:/${SEGMENT})+$`, 'u');

export function isEndpoint(text: string): boolean {
  return text.length <= MAX_ENDPOINT_CHARS && ENDPOINT.test(text);
}

/** Converts `My Movies (2).json` to `imported/my-movies-2`. */
export function suggestEndpoint(fileName: string): string {
  const stem = fileName.replace(/\.(?:(?:geo|topo)?json|ndjson|jsonl|csv|tsv|txt)(?:\.gz)?$/i, '');
  const name = stem
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}._~-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return `imported/${name === '' ? 'file' : name}`;
}
