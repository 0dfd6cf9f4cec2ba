import { expect, it } from 'vitest';
import { createDeletionService, type DeletionParts } from './service.ts';

it('ends the sweep after its current transaction when the service is closed, without pruning versions', async () => {
  const purge = Promise.withResolvers<boolean>();
  let pruneCount = 0;
  const deletions = createDeletionService({
    store: { expiredDeletions: () => [], purgeableEndpoints: () => [1] },
    writer: { write: () => purge.promise },
    versions: {
      prune() {
        pruneCount += 1;
        return Promise.resolve();
      },
    },
    clock: { now: () => 0 },
  } as unknown as DeletionParts);
  const sweep = deletions.sweep();
  const closing = deletions.close();
  purge.resolve(true);
  await Promise.all([sweep, closing]);
  expect(pruneCount).toBe(0);
});
