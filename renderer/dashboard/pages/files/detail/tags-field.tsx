import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { MAX_FILE_TAGS } from '../../../../../server/wire/limits.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { fileSummary } from '../../../api/files/queries.ts';

const MAX_TAG_SUGGESTIONS = 20;
const TRANSITION_MS = 90;

/** Splits new tags at commas and removes duplicates. Existing tags may contain commas and are not split. */
function normaliseTags(tags: readonly string[], existingTags: readonly string[]): string[] {
  const normalisedTags = tags.flatMap((tag) =>
    existingTags.includes(tag) ? [tag] : tag.split(',').map((segment) => segment.trim()),
  );
  return [...new Set(normalisedTags)].filter((tag) => tag !== '');
}

interface TagsFieldProps {
  label: string;
  tags: readonly string[];
  onChange: (tags: string[]) => void;
}

export function TagsField({ label, tags, onChange }: TagsFieldProps) {
  const suggestions = (useQuery(fileSummary).data?.tags ?? []).map(({ tag }) => tag);
  return (
    <TagsInput
      label={label}
      description={m.files.edit.tagsHint}
      size="sm"
      value={[...tags]}
      data={suggestions}
      limit={MAX_TAG_SUGGESTIONS}
      maxTags={MAX_FILE_TAGS}
      acceptValueOnBlur
      comboboxProps={{ transitionProps: { duration: TRANSITION_MS } }}
      onChange={(value) => onChange(normaliseTags(value, [...tags, ...suggestions]))}
    />
  );
}
