/** Characters. More than this at once holds up the page. */
const MOST = 20_000;

/** The first lines of a long text; all of it when it is not long. */
export function beginning(text: string, most = MOST): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf('\n', most);
  return text.slice(0, end === -1 ? most : end);
}
