import { workFor } from './move/work.ts';
import { moveTools } from './pda-forms.ts';

/** The process in which an account is exported, an archive looked at, and one imported: here the rooms meet whose forms are in it. */
workFor(moveTools);
