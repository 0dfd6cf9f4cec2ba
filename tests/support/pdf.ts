import { constants, deflateRawSync } from 'node:zlib';

// Builds PDF files (ISO 32000-1) with text in a standard font.

/** Content of a page. `filter`: name of its compression filter. */
type PdfStream = { content: Buffer; filter?: string };

const FIRST_PAGE_OBJECT = 4;
const XREF_OFFSET_DIGITS = 10;

/** Returns a PDF with a page for each stream. @param trailerEntries further entries of the trailer */
export const pdfOfStreams = (streams: readonly PdfStream[], trailerEntries = ''): Buffer => {
  const pageObjects = streams.map((_, index) => FIRST_PAGE_OBJECT + 2 * index);
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(
      `<< /Type /Pages /Kids [${pageObjects.map((number) => `${number} 0 R`).join(' ')}] /Count ${streams.length} >>`,
    ),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    ...streams.flatMap(({ content, filter }, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>
           /Contents ${FIRST_PAGE_OBJECT + 2 * index + 1} 0 R >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${content.length}${filter === undefined ? '' : ` /Filter /${filter}`} >>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    ]),
  ];
  const chunks = [Buffer.from('%PDF-1.4\n')];
  let length = 9;
  const offsets = objects.map((object, index) => {
    const offset = length;
    const chunk = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    chunks.push(chunk);
    length += chunk.length;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(XREF_OFFSET_DIGITS, '0')} 00000 n \n`);
  const xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailerEntries} >>\n`;
  return Buffer.concat([...chunks, Buffer.from(`${xref}${trailer}startxref\n${length}\n%%EOF\n`)]);
};

/** Returns a PDF with one page for each list of lines. The lines can contain only characters of Latin-1. */
export const pdfOfPages = (pages: readonly (readonly string[])[]): Buffer =>
  pdfOfStreams(
    pages.map((lines) => {
      const operators = lines.map((line) => `(${line.replaceAll(/[\\()]/gu, String.raw`\$&`)}) Tj 0 -20 Td`);
      return { content: Buffer.from(`BT /F1 12 Tf 72 720 Td ${operators.join(' ')} ET`, 'latin1') };
    }),
  );

/** Returns a small PDF with a page that decompresses to this number of megabytes of spaces. */
export const pdfBomb = (megabytes: number): Buffer => {
  const block = deflateRawSync(Buffer.alloc(1_000_000, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  const [zlibHeader, lastBlock] = [Buffer.from([0x78, 0x9c]), Buffer.from([0x03, 0x00])];
  const content = Buffer.concat([zlibHeader, ...Array.from({ length: megabytes }, () => block), lastBlock]);
  return pdfOfStreams([{ content, filter: 'FlateDecode' }]);
};
