/**
 * Basic templates: Handlebars, with values escaped, and no way to the prototypes of what is in a record.
 *
 * Three braces insert HTML; it is sanitised by itself. What comes out as a whole is sanitised again, so that no value can become
 * a script by the place it was put in; styles stay, they are what templates are for.
 */
import purifier from 'dompurify'
import Handlebars from 'handlebars'

const engine = Handlebars.create()
engine.registerHelper('json', (value: unknown) => JSON.stringify(value, null, 2))
engine.registerHelper('postilSanitized', (value: unknown) =>
  purifier.sanitize(String(value ?? ''), {
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select'],
    FORBID_ATTR: ['style'],
  }),
)

/** `{{{value}}}` -> `{{{postilSanitized value}}}`, in every corner of the template. */
class Sanitizing extends Handlebars.Visitor {
  override MustacheStatement(mustache: hbs.AST.MustacheStatement): void {
    super.MustacheStatement(mustache)
    // The parser says so, its types do not.
    const isEscaped = (mustache as { escaped?: boolean }).escaped
    if (isEscaped !== false) return
    const { loc, path, params, hash } = mustache
    const isCall = params.length > 0 || hash !== undefined
    const inner = isCall ? { type: 'SubExpression', loc, path, params, hash } : path
    mustache.path = {
      type: 'PathExpression',
      loc,
      data: false,
      depth: 0,
      parts: ['postilSanitized'],
      original: 'postilSanitized',
    } as hbs.AST.PathExpression
    mustache.params = [inner as hbs.AST.Expression]
    Object.assign(mustache, { hash: undefined })
  }
}

let compiled: { template: string; run: HandlebarsTemplateDelegate } | null = null

function compile(template: string): HandlebarsTemplateDelegate {
  if (compiled?.template === template) return compiled.run
  const tree = engine.parse(template)
  new Sanitizing().accept(tree)
  compiled = { template, run: engine.compile(tree) }
  return compiled.run
}

export function expand(template: string, record: unknown): DocumentFragment {
  const html = compile(template)({ record }, { allowProtoMethodsByDefault: false, allowProtoPropertiesByDefault: false })
  const fragment = purifier.sanitize(html, {
    FORCE_BODY: true,
    ADD_TAGS: ['link'],
    ADD_ATTR: ['target', 'rel', 'integrity', 'crossorigin'],
    RETURN_DOM_FRAGMENT: true,
  })
  // Links of other kinds only tell somebody that the record is being read.
  for (const link of fragment.querySelectorAll('link:not([rel=stylesheet i])')) link.remove()
  return fragment
}
