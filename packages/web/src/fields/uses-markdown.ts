import type { Field } from '@postil/domain/fields'

export const usesMarkdown = ({ settings }: Field): boolean => 'use_markdown' in settings && settings.use_markdown
