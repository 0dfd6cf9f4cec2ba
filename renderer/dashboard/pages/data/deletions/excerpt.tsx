import type { DeletedRecord } from '../../../../shared/api/contract.ts';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';

const texts = m.data.deletion.list;

/** First values of a deleted record, or only its size if the record is too large for an excerpt. */
export function DeletedExcerpt({ record: { excerpt, bytes: size } }: { record: DeletedRecord }) {
  if (excerpt === null) return texts.large(bytes(size));
  return excerpt === '' ? texts.empty : <bdi>{excerpt}</bdi>;
}
