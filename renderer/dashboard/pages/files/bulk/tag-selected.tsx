import { Button, Checkbox } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { DialogForm } from '../../../../shared/overlay/dialog-form.tsx';
import { tagCounts } from '../../../api/files/bulk.ts';
import { TagsField } from '../detail/tags-field.tsx';
import { BulkButton } from '../../../components/bulk-button.tsx';
import { tagFiles, tooManyFilesText } from './actions.tsx';
import classes from './bulk.module.css';
import { changeOf, nextChoice, type TagChoice, type TagCount } from './tag-choices.ts';

const texts = m.bulkFiles.tags;
const MAX_SHOWN_TAGS = 20;

export function TagSelected({ files }: { files: readonly OwnerFile[] }) {
  return (
    <BulkButton
      icon={IconTags}
      label={texts.button}
      title={texts.title(files.length)}
      disabledReason={tooManyFilesText(files.length)}
    >
      {(close) => <TagDialog fileIds={files.map(({ file }) => file.fileId)} close={close} />}
    </BulkButton>
  );
}

interface TagDialogProps {
  fileIds: readonly string[];
  close: () => void;
}

function TagDialog({ fileIds, close }: TagDialogProps) {
  const counts = useQuery(tagCounts(fileIds));
  return (
    <>
      <QueryBoundary query={counts} rows={4} />
      {counts.data !== undefined && <TagForm fileIds={fileIds} counts={counts.data} close={close} />}
    </>
  );
}

function TagForm({ fileIds, counts, close }: TagDialogProps & { counts: { files: number; tags: TagCount[] } }) {
  const [choices, setChoices] = useState<ReadonlyMap<string, TagChoice>>(new Map());
  const [newTags, setNewTags] = useState<string[]>([]);
  const [showsAll, setShowsAll] = useState(false);
  const { add, remove } = changeOf(choices, newTags);
  const shownTags = showsAll ? counts.tags : counts.tags.slice(0, MAX_SHOWN_TAGS);
  const save = async () => {
    await tagFiles(fileIds, { add, remove });
    close();
  };
  return (
    <DialogForm submitLabel={texts.save} disabled={add.length + remove.length === 0} close={close} send={save}>
      {counts.tags.length > 0 && (
        <ul className={classes.choices} aria-label={texts.current}>
          {shownTags.map(({ tag, files }) => {
            const isOnAll = files === counts.files;
            const choice = choices.get(tag) ?? 'keep';
            return (
              <li key={tag}>
                <Checkbox
                  label={<UntrustedText>{tag}</UntrustedText>}
                  description={choice === 'keep' ? texts.counts(files, counts.files) : texts.choices[choice]}
                  checked={choice === 'add' || (choice === 'keep' && isOnAll)}
                  indeterminate={choice === 'keep' && !isOnAll}
                  onChange={() => setChoices(new Map(choices).set(tag, nextChoice(choice, isOnAll)))}
                />
              </li>
            );
          })}
          {counts.tags.length > shownTags.length && (
            <li>
              <Button size="xs" variant="subtle" onClick={() => setShowsAll(true)}>
                {m.shell.showMore(counts.tags.length - shownTags.length)}
              </Button>
            </li>
          )}
        </ul>
      )}
      <TagsField label={texts.add} tags={newTags} onChange={setNewTags} />
    </DialogForm>
  );
}
