/**
 * Expands basic templates: Handlebars with escaped values and without access to prototypes.
 *
 * Triple braces insert HTML, which is sanitised on insertion. The whole output is sanitised again, so that no value can become a
 * script through its position in the template. Styles of the template are kept.
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

/** Rewrites `{{{value}}}` to `{{{postilSanitized value}}}` everywhere in the template. */
class SanitizeVisitor extends Handlebars.Visitor {
  override MustacheStatement(mustache: hbs.AST.MustacheStatement): void {
    super.MustacheStatement(mustache)
    // Handlebars' parser sets `escaped`, but its types do not declare it.
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
  new SanitizeVisitor().accept(tree)
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
  // Other link types, such as prefetch, could only leak to another server that the record is being read.
  for (const link of fragment.querySelectorAll('link:not([rel=stylesheet i])')) link.remove()
  return fragment
}
