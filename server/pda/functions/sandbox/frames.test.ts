import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader, encodeFrame, type Frame } from './frames.ts';

const readAll = (chunks: readonly Buffer[], bounds: Record<string, number>): { frames: Frame[]; errors: string[] } => {
  const frames: Frame[] = [];
  const errors: string[] = [];
  const read = createFrameReader(
    bounds,
    (frame) => frames.push(frame),
    (reason, kind) => errors.push(`${reason} ${kind}`),
  );
  for (const chunk of chunks) read(chunk);
  return { frames, errors };
};

const splitIntoChunks = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const chunks: Buffer[] = [];
  let offset = 0;
  for (let index = 0; offset < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return chunks;
};

describe('frames', () => {
  it('are parsed for any chunking of the stream', () => {
    const frame = fc.record({ kind: fc.constantFrom('a', 'b'), text: fc.string({ unit: 'grapheme', maxLength: 50 }) });
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), sizes, (sentFrames, sizes) => {
        const bytes = Buffer.concat(sentFrames.map(({ kind, text }) => encodeFrame(kind, text)));
        const { frames, errors } = readAll(splitIntoChunks(bytes, sizes), { a: 10_000, b: 10_000 });
        expect(frames).toEqual(sentFrames);
        expect(errors).toEqual([]);
      }),
    );
  });

  it('stop the parser if their kind is unknown', () => {
    const bytes = Buffer.concat([encodeFrame('a', 'x'), encodeFrame('z', 'x'), encodeFrame('a', 'y')]);
    expect(readAll([bytes], { a: 10 })).toEqual({ frames: [{ kind: 'a', text: 'x' }], errors: ['unknown z'] });
  });

  it('are rejected as unknown if their kind is the name of an inherited property', () => {
    expect(readAll([encodeFrame('_', '')], Object.create({ _: 5 })).errors).toEqual(['unknown _']);
  });

  it('are rejected as soon as their header declares a size above the limit', () => {
    const header = Buffer.from([0xff, 0xff, 0xff, 0xff, 'a'.charCodeAt(0)]);
    expect(readAll([header], { a: 10 })).toEqual({ frames: [], errors: ['too-long a'] });
  });
});
