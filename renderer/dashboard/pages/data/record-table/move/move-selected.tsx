import { Autocomplete, Text } from '@mantine/core';
import { IconFolderSymlink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_MOVED_RECORDS } from '../../../../../../server/wire/limits.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { DialogForm } from '../../../../../shared/overlay/dialog-form.tsx';
import { endpoints } from '../../../../api/queries.ts';
import { BulkButton } from '../../../../components/bulk-button.tsx';
import { isEndpoint } from '../../endpoints/endpoint-name.ts';
import { moveToEndpoint } from './move-records.ts';
import { ReaderChange } from './reader-change.tsx';

const texts = m.recordTable.moves;

interface MoveProps {
  endpoint: string;
  ids: readonly string[];
  done: () => void;
}

/** Disabled if there are too many records for one request. */
export function MoveSelectedRecords(props: MoveProps) {
  const count = props.ids.length;
  return (
    <BulkButton
      icon={IconFolderSymlink}
      label={texts.button}
      title={texts.title(count)}
      disabledReason={count > MAX_MOVED_RECORDS ? texts.tooMany(MAX_MOVED_RECORDS) : undefined}
    >
      {(close) => <MoveForm {...props} close={close} />}
    </BulkButton>
  );
}

function MoveForm({ endpoint, ids, done, close }: MoveProps & { close: () => void }) {
  const summaries = useQuery(endpoints).data ?? [];
  const [target, setTarget] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const isSame = target === endpoint;
  const isValid = isEndpoint(target) && !isSame;
  const check = () => {
    setIsChecked(true);
    return isValid;
  };
  const move = async () => {
    await moveToEndpoint({ from: endpoint, to: target, records: ids });
    close();
    done();
  };
  return (
    <DialogForm submitLabel={texts.submit(ids.length)} disabled={isSame} close={close} check={check} send={move}>
      <Text c="dimmed">{texts.text}</Text>
      <Autocomplete
        label={texts.endpoint}
        description={texts.endpointHint}
        value={target}
        onChange={(value) => {
          setTarget(value);
          setIsChecked(false);
        }}
        // A suggestion equal to the input would only cover the text below.
        data={summaries.map((summary) => summary.endpoint).filter((path) => path !== endpoint && path !== target)}
        limit={8}
        openOnFocus={false}
        error={isSame ? texts.same : isChecked && !isValid ? m.data.addRecord.endpointInvalid : undefined}
        data-autofocus
        spellCheck={false}
        autoCapitalize="none"
      />
      {isValid && <ReaderChange from={endpoint} to={target} records={ids} />}
    </DialogForm>
  );
}
