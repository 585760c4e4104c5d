/**
 * XSS payloads that people and models put into records. Each payload shows that it ran: it sets `__ran` on the page or requests
 * `/ran`. Tests plant them in every place that shows data and check that neither happens.
 */
export interface Attack {
  name: string
  text: string
}

/** Contains no quote, so that it fits into any attribute. */
const RUN = 'top.__ran=1;fetch(`/ran?`+document.cookie)'
const IMG = `<img src=x onerror="${RUN}">`

export const ATTACKS: readonly Attack[] = [
  // Five payloads that worked on a well-known product.
  { name: 'an image with an error handler', text: IMG },
  { name: 'a chat message with an image', text: `Hello ${IMG} there` },
  { name: 'a text that looks like a document', text: `<html><body><p>hi</p><script>${RUN}</script></body></html>` },
  { name: 'a script that reaches its parent page', text: `<script>parent.__ran=1;parent.document.title=1</script>` },
  { name: 'a closing script tag', text: `</script><script>${RUN}</script>` },

  // Elements.
  { name: 'a script in mixed case', text: `<ScRiPt>${RUN}</sCrIpT>` },
  { name: 'a script without an end', text: `<script>${RUN}//` },
  { name: 'a script with a slash', text: `<script/x>${RUN}</script>` },
  { name: 'an inline frame with a document', text: `<iframe srcdoc="<script>${RUN}</script>"></iframe>` },
  { name: 'an inline frame with a script address', text: `<iframe src="javascript:${RUN}"></iframe>` },
  { name: 'an embedded document', text: `<embed src="javascript:${RUN}">` },
  { name: 'an object', text: `<object data="data:text/html,<script>${RUN}</script>"></object>` },
  {
    name: 'a form that sends itself',
    text: `<form action="javascript:${RUN}"><button autofocus onfocus="${RUN}">x</button></form>`,
  },
  {
    name: 'a button with a form action',
    text: `<form id=f></form><button form=f formaction="javascript:${RUN}" autofocus>x</button>`,
  },
  { name: 'an input that takes the focus', text: `<input autofocus onfocus="${RUN}">` },
  { name: 'another base', text: `<base href="https://evil.example/"><a href="x">x</a>` },
  { name: 'a refresh', text: `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">` },
  { name: 'a style sheet', text: `<link rel=stylesheet href="/ran"><style>@import '/ran';body{display:none}</style>` },
  { name: 'a style that hides the page', text: `<div style="position:fixed;inset:0;background:url(/ran)">x</div>` },
  { name: 'a class of the page', text: `<div class="menu dialog visually-hidden" popover>x</div>` },
  { name: 'details that open', text: `<details open ontoggle="${RUN}"><summary>x</summary>y</details>` },
  { name: 'a video with handlers', text: `<video src=x autoplay onerror="${RUN}"><source onerror="${RUN}"></video>` },
  { name: 'an animation', text: `<p style="animation:x" onanimationstart="${RUN}">x</p><b onpointerenter="${RUN}">y</b>` },
  { name: 'a marquee', text: `<marquee onstart="${RUN}">x</marquee>` },
  { name: 'a body with a handler', text: `<body onload="${RUN}" onpageshow="${RUN}">` },
  { name: 'a hidden until found part', text: `<div hidden=until-found onbeforematch="${RUN}">x</div>` },
  { name: 'a custom element', text: `<x-y is="x" onclick="${RUN}" tabindex=1 onfocus="${RUN}" autofocus>x</x-y>` },

  // Embedded languages: SVG and MathML.
  { name: 'a drawing that loads', text: `<svg onload="${RUN}"></svg>` },
  { name: 'a drawing with a script', text: `<svg><script>${RUN}</script></svg>` },
  {
    name: 'a drawing that animates a link',
    text: `<svg><a><animate attributeName=href values="javascript:${RUN}"/><text x=20 y=20>x</text></a></svg>`,
  },
  {
    name: 'a drawing that uses another',
    text: `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='x' onerror='${RUN}'/></svg>#x"/></svg>`,
  },
  { name: 'HTML inside a drawing', text: `<svg><foreignObject>${IMG}</foreignObject></svg>` },
  { name: 'a formula with a link', text: `<math href="javascript:${RUN}"><mi xlink:href="javascript:${RUN}">x</mi></math>` },
  {
    name: 'a formula with an action',
    text: `<math><maction actiontype="statusline#x" xlink:href="javascript:${RUN}">x</maction></math>`,
  },
  { name: 'HTML inside a formula', text: `<math><annotation-xml encoding="text/html">${IMG}</annotation-xml></math>` },
  {
    name: 'a formula in markdown that links',
    text: `$\\href{javascript:${RUN}}{x}$ and $$\\htmlData{x=1}{y}\\includegraphics{/ran}$$`,
  },
  { name: 'a formula with HTML in it', text: `$\\text{${IMG}}$ $\\unknown<script>${RUN}</script>$` },

  // Mutation XSS: text that changes its meaning when it is parsed a second time.
  {
    name: 'a style in a formula',
    text: `<math><mtext><table><mglyph><style><!--</style>${IMG.replaceAll('"', '&quot;')}<!--</style>`,
  },
  {
    name: 'a namespace mix-up',
    text: `<math><mtext><table><mglyph><style><math><table id="</table>${IMG.replaceAll('"', "'")}">`,
  },
  { name: 'nested forms', text: `<form><math><mtext></form><form><mglyph><style></math>${IMG}` },
  { name: 'a drawing with a style', text: `<svg></p><style><a id="</style>${IMG.replaceAll('"', "'")}">` },
  { name: 'a title in a drawing', text: `<svg><title><style><a title="</style></title>${IMG.replaceAll('"', "'")}">` },
  { name: 'a desc in a drawing', text: `<svg><desc><noscript></desc></svg><p title="</noscript>${IMG.replaceAll('"', "'")}">` },
  { name: 'noscript', text: `<noscript><p title="</noscript>${IMG.replaceAll('"', "'")}"></noscript>` },
  { name: 'noembed and noframes', text: `<noembed></noembed>${IMG}<noframes></noframes>${IMG}` },
  { name: 'a text area', text: `<textarea><img title="</textarea>${IMG.replaceAll('"', "'")}"></textarea>` },
  { name: 'xmp and plaintext', text: `<xmp><p title="</xmp>${IMG.replaceAll('"', "'")}"></xmp><plaintext>${IMG}` },
  { name: 'a template', text: `<template><script>${RUN}</script>${IMG}</template>` },
  { name: 'a shadow root', text: `<div><template shadowrootmode="open">${IMG}<script>${RUN}</script></template></div>` },
  { name: 'a select', text: `<select><template><style></select>${IMG}</style></template></select>` },
  { name: 'a comment that ends early', text: `<!--><img src=x onerror="${RUN}">--> <!-- --!>${IMG}-->` },
  { name: 'a processing instruction', text: `<?xml-stylesheet ><img src=x onerror="${RUN}"> ?>` },
  { name: 'character data', text: `<svg><![CDATA[><image href="x" onerror="${RUN}"/>]]></svg>` },
  { name: 'very deep nesting', text: `${'<div>'.repeat(600)}${IMG}${'</div>'.repeat(600)}` },
  {
    name: 'deep nesting in a formula',
    text: `${'<math><mtext>'.repeat(200)}<style><a title="</style>${IMG.replaceAll('"', "'")}">`,
  },
  { name: 'a processed attribute with a grave', text: `<img alt="\`\`onerror=${RUN.replaceAll('`', '')}" src=x>` },

  // URLs.
  { name: 'a script address', text: `[click](javascript:${RUN}) <a href="javascript:${RUN}">x</a>` },
  { name: 'a script address in mixed case', text: `<a href="JaVaScRiPt:${RUN}">x</a>` },
  { name: 'a script address with a tab', text: `<a href="java\tscript:${RUN}">x</a><a href="java&#10;script:${RUN}">y</a>` },
  { name: 'a script address with a control character', text: `<a href="\u0001javascript:${RUN}">x</a>` },
  { name: 'a script address with entities', text: `<a href="&#106;avascript&colon;${RUN}">x</a>` },
  { name: 'a script address in full-width letters', text: `<a href="ｊａｖａｓｃｒｉｐｔ:${RUN}">x</a>` },
  { name: 'a script address with a direction mark', text: `<a href="\u202Ejavascript:${RUN}">x</a>` },
  { name: 'an old script address', text: `<a href="vbscript:x">x</a><a href="livescript:x">y</a>` },
  {
    name: 'a document in an address',
    text: `[x](data:text/html,<script>${RUN}</script>) <a href="data:text/html;base64,PHNjcmlwdD4x">x</a>`,
  },
  {
    name: 'a drawing in an address',
    text: `<a href="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUN}'/>">x</a>`,
  },
  { name: 'an image that is a document', text: `<img src="data:text/html,<script>${RUN}</script>">` },
  {
    name: 'an image that is a drawing with a script',
    text: `![x](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUN}'/>)`,
  },
  { name: 'an image of this server', text: `![x](/ran) <img src="/ran"> <img src="ran"> <img srcset="/ran 1x">` },
  { name: 'an image with a closing quote', text: `![x](x"onerror="${RUN}) ![x"onerror="${RUN}](x)` },
  {
    name: 'a link with a closing quote',
    text: `[x](https://example.org"onclick="${RUN}"autofocus"onfocus="${RUN}) [x](<https://a.example" onfocus="${RUN}">)`,
  },
  { name: 'a reference with a script address', text: `[x][1]\n\n[1]: javascript:${RUN}` },
  { name: 'an automatic link', text: `<javascript:${RUN}>` },

  // Markdown.
  { name: 'code that ends early', text: `\`\`\`html"><img src=x onerror="${RUN}">\n</code></pre>${IMG}\n\`\`\`` },
  { name: 'the name of a language', text: `\`\`\`x" onload="${RUN}\ncode\n\`\`\`` },
  { name: 'a heading with HTML', text: `# <img src=x onerror="${RUN}">\n\n| a |\n|---|\n| ${IMG} |` },
  { name: 'HTML between signs', text: `**<b onmouseover="${RUN}">x</b>** <div>\n\n${IMG}\n\n</div>` },

  // DOM clobbering: names that shadow properties used by the page.
  {
    name: 'a clobbered document',
    text: `<img name=getElementById><img name=body><form name=forms><input name=attributes></form>`,
  },
  { name: 'a clobbered window', text: `<a id=__ran href="https://evil.example">x</a><a id=app>y</a><iframe name=top></iframe>` },
  {
    name: 'a clobbered fragment',
    text: `<form><input name=childNodes><input name=removeChild><input name=parentNode>${IMG}</form>`,
  },

  // Templates.
  {
    name: 'braces',
    text: `{{constructor.constructor('${RUN.replaceAll('`', '"')}')()}} {{{record}}} {{#with "s" as |s|}}{{s.sub}}{{/with}} \${${RUN}}`,
  },
  { name: 'a prototype', text: `__proto__ constructor prototype toString` },
  { name: 'separators of lines', text: `\u2028${RUN}\u2029</script>${IMG}` },
  { name: 'a null and a byte order mark', text: `<im\u0000g src=x onerror="${RUN}"><\uFEFFscript>${RUN}</script>${IMG}` },
  { name: 'halves of characters', text: `\uD800<img src=x onerror="${RUN}">\uDC00` },
]
