import { annotate } from './annotate.ts'
import { bulk } from './bulk.ts'
import { datasetChanges } from './dataset-changes.ts'
import { datasetSettings } from './dataset-settings.ts'
import { fields } from './fields.ts'
import { find } from './find.ts'
import { home } from './home.ts'
import { problems } from './problems.ts'
import { questions } from './questions.ts'
import { share } from './share.ts'
import { common } from './shared-words.ts'
import { shell } from './shell.ts'
import { signIn } from './sign-in.ts'
import { span } from './span.ts'
import { userSettings } from './user-settings.ts'

export const ja = {
  common,
  shell,
  signIn,
  home,
  userSettings,
  annotate,
  problems,
  questions,
  span,
  fields,
  find,
  bulk,
  datasetSettings,
  datasetChanges,
  share,
}
