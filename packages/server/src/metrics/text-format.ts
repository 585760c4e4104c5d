/** Prometheus text format, version 0.0.4. */
import { METRICS, type MetricInfo, type MetricName } from './catalog.ts'
import type { Sample } from './samples.ts'

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Groups the samples by metric, as the format requires, in the order of the catalog. */
export function toPrometheusText(samples: readonly Sample[]): string {
  const byName = Map.groupBy(samples, ({ name }) => name)
  const lines: string[] = []
  for (const [name, { type, about }] of Object.entries<MetricInfo>(METRICS)) {
    const own = byName.get(name as MetricName)
    if (!own) continue
    lines.push(`# HELP ${name} ${escapeText(about)}`, `# TYPE ${name} ${type}`)
    for (const { suffix = '', labels, value } of own) lines.push(`${name}${suffix}${toLabels(labels)} ${value}`)
  }
  return `${lines.join('\n')}\n`
}

const toLabels = (labels: Sample['labels']) =>
  labels.length === 0
    ? ''
    : `{${labels.map(([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`).join(',')}}`

const escapeText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
