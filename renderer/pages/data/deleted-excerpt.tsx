import type { DeletedRecord } from '../../api/contract.ts';
import { bytes } from '../../format.ts';
import { m } from '../../messages/texts.ts';

const words = m.data.deletion.list;

/** The first values of a deleted record, or its size when it is too large to be read for a list. */
export function DeletedExcerpt({ record: { excerpt, bytes: size } }: { record: DeletedRecord }) {
  if (excerpt === null) return words.large(bytes(size));
  return excerpt === '' ? words.empty : <bdi>{excerpt}</bdi>;
}
