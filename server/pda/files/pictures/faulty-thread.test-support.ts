import { serveRequests } from '../../../platform/workers/idle-thread.ts';
import { failAsNamed } from '../content/faults.test-support.ts';
import type { ContentRequest } from '../content/thread-reader.ts';
import { NO_DETAILS, type PictureDetails } from './rules.ts';

// Stand-in for `thread.ts`. Simulates the parser fault that the file content names.

serveRequests(({ fd }: ContentRequest): PictureDetails => ({ ...NO_DETAILS, camera: failAsNamed(fd) }));
