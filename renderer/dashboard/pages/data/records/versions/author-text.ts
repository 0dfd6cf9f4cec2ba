import type { RecordVersion } from '../../../../../../server/wire/record-versions.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { useFunctionName } from '../../../../api/functions/queries.ts';
import { useApplicationName } from '../../../../api/sharing/access.ts';

const texts = m.data.record.origin;

export function useAuthorText(): (author: RecordVersion['storedBy']) => string {
  const applicationName = useApplicationName();
  const functionName = useFunctionName();
  return (author) => {
    if (author === null) return m.data.versions.unknownAuthor;
    switch (author.kind) {
      case 'owner':
        return m.history.actors.you;
      case 'application':
        return texts.application(applicationName(author.name));
      case 'function':
        return texts.function(functionName(author.name));
      default:
        return texts[author.kind](author.name);
    }
  };
}
