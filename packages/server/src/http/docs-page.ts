/**
 * The API description as one HTML page: no scripts, no external hosts, and a Content-Security-Policy that allows only its own
 * style.
 */
import { createHash } from 'node:crypto'
import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from '@postil/domain/api/openapi'
import { escapeMarkup } from '../lib/escape-markup.ts'
import { schemaText } from './docs-schema.ts'

export interface DocsPage {
  html: string
  /** The page's Content-Security-Policy. */
  csp: string
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
nav ul { columns: 3 12rem; padding: 0; list-style: none }
details { border: 1px solid #8886; border-radius: .4rem; margin: .4rem 0; padding: .3rem .8rem }
summary { cursor: pointer; overflow-wrap: anywhere }
pre { overflow-x: auto; background: #8881; padding: .6rem; border-radius: .4rem }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0 }
td pre { margin: 0; padding: 0; background: none }
b { display: inline-block; min-width: 4.5rem }
`

export function docsPage(document: OpenApiDocument): DocsPage {
  const { info, tags } = document
  const title = escapeMarkup(`${info.title} ${info.version}`)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${info.description === undefined ? '' : `<p>${escapeMarkup(info.description)}</p>`}
<p>For programs: <a href="openapi.json">openapi.json</a>. Send your key in the header <code>X-Argilla-Api-Key</code>.</p>
<nav><ul>${tags.map(({ name }) => `<li><a href="#${anchor(name)}">${escapeMarkup(name)}</a></li>`).join('')}</ul></nav>
<main>
${tags.map(({ name }) => tagSection(document, name)).join('\n')}
</main>
</body>
</html>
`
  const hash = createHash('sha256').update(STYLE).digest('base64')
  const csp = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return { html, csp }
}

const anchor = (tag: string) => `tag-${encodeURIComponent(tag)}`

function tagSection(document: OpenApiDocument, tag: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => operationDetails(document, `${method.toUpperCase()}`, path, operation)),
  )
  return `<section>\n<h2 id="${anchor(tag)}">${escapeMarkup(tag)}</h2>\n${operations.join('\n')}\n</section>`
}

function operationDetails(document: OpenApiDocument, method: string, path: string, operation: OpenApiOperation): string {
  const open = operation.security.length === 0
  const parts = [
    `<details id="${escapeMarkup(encodeURIComponent(operation.operationId))}">`,
    `<summary><b>${escapeMarkup(method)}</b> <code>${escapeMarkup(path)}</code> ${escapeMarkup(operation.summary)}</summary>`,
    `<p>Name: <code>${escapeMarkup(operation.operationId)}</code>${open ? '. Needs no credentials.' : ''}</p>`,
    parameterTable(document, operation.parameters),
    operation.requestBody ? `<h3>Body</h3>${contentText(document, operation.requestBody.content)}` : '',
    '<h3>Answers</h3>',
    ...Object.entries(operation.responses).map(([status, response]) => responseDetails(document, status, response)),
    '</details>',
  ]
  return parts.filter(part => part !== '').join('\n')
}

function parameterTable(document: OpenApiDocument, parameters: OpenApiParameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(parameter => {
    const place = `${parameter.in}${parameter.required ? ', required' : ''}`
    const schema = escapeMarkup(schemaText(document, parameter.schema))
    return `<tr><td><code>${escapeMarkup(parameter.name)}</code></td><td>${place}</td><td><pre>${schema}</pre></td></tr>`
  })
  return `<h3>Parameters</h3>\n<table>${rows.join('\n')}</table>`
}

function contentText(document: OpenApiDocument, content: OpenApiContent): string {
  return Object.entries(content)
    .map(([mediaType, { schema }]) => `<p>${escapeMarkup(mediaType)}</p><pre>${escapeMarkup(schemaText(document, schema))}</pre>`)
    .join('\n')
}

function responseDetails(document: OpenApiDocument, status: string, given: OpenApiResponse): string {
  const response = '$ref' in given ? document.components.responses[given.$ref.split('/').at(-1) ?? ''] : given
  if (response === undefined || '$ref' in response) return ''
  const heading = `${escapeMarkup(status)} ${escapeMarkup(response.description)}`
  if (response.content === undefined) return `<p>${heading}</p>`
  return `<details><summary>${heading}</summary>${contentText(document, response.content)}</details>`
}
