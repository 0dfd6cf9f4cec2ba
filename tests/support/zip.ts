import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yauzl, { type Entry, type ZipFile } from 'yauzl';

const fromBuffer = promisify<Buffer, yauzl.Options, ZipFile>(yauzl.fromBuffer);

/** Reads a ZIP archive of small text files. Returns the texts by name. @throws {Error} if it is damaged */
export const readZip = async (bytes: Buffer): Promise<Record<string, string>> => {
  const zip = await fromBuffer(bytes, { lazyEntries: true });
  const texts: Record<string, string> = {};
  await new Promise<void>((resolve, reject) => {
    const readEntry = async (entry: Entry): Promise<void> => {
      texts[entry.fileName] = await text(
        (await promisify(zip.openReadStream.bind(zip))(entry)) as NodeJS.ReadableStream,
      );
      zip.readEntry();
    };
    zip.on('entry', (entry: Entry) => void readEntry(entry).catch(reject));
    zip.on('end', resolve);
    zip.on('error', reject);
    zip.readEntry();
  });
  return texts;
};
