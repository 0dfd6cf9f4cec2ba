import { crc32, deflateRawSync } from 'node:zlib';

/** A file in a zip archive. Properties other than name and content override the correct values. */
export type ZipFile = {
  name: string;
  content: string | Buffer;
  mode?: number;
  flags?: number;
  method?: number;
  size?: number;
  crc?: number;
};

/** Builds a zip file. Its headers contradict the content if a file overrides values. */
export const zipOf = (files: readonly ZipFile[]): Buffer => {
  const parts: Buffer[] = [];
  const directoryParts: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const content = Buffer.from(file.content);
    const packedContent = deflateRawSync(content);
    const commonHeader = Buffer.alloc(26);
    commonHeader.writeUInt16LE(20, 0);
    commonHeader.writeUInt16LE(file.flags ?? 0, 2);
    commonHeader.writeUInt16LE(file.method ?? 8, 4);
    commonHeader.writeUInt32LE(file.crc ?? crc32(content), 10);
    commonHeader.writeUInt32LE(packedContent.length, 14);
    commonHeader.writeUInt32LE(file.size ?? content.length, 18);
    commonHeader.writeUInt16LE(name.length, 22);
    const localFile = Buffer.concat([Buffer.from('PK\u0003\u0004'), commonHeader, name, packedContent]);
    const attributes = Buffer.alloc(14);
    attributes.writeUInt32LE(((file.mode ?? 0o100_644) << 16) >>> 0, 6);
    attributes.writeUInt32LE(offset, 10);
    // Version made by: Unix, so that readers use the file modes.
    directoryParts.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), commonHeader, attributes, name);
    parts.push(localFile);
    offset += localFile.length;
  }
  const directory = Buffer.concat(directoryParts);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
};
