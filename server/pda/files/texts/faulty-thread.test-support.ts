import { serveRequests } from '../../../platform/workers/idle-thread.ts';
import { failAsNamed } from '../content/faults.test-support.ts';
import type { ContentRequest } from '../content/thread-reader.ts';
import { toFileText, type FileText } from './rules.ts';

// Stand-in for `thread.ts`. Simulates the fault that the file content names, if any.

serveRequests(({ fd }: ContentRequest): FileText => toFileText(failAsNamed(fd)));
