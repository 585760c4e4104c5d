import { expect, test } from 'vitest'
import { aColumnUse, aPlan } from './mapping-fixtures.ts'
import type { DatasetPlan } from './plan.ts'
import { withTemplate } from './templates.ts'
import { type SourceDescription, toJson, toPython, type WizardRun } from './to-python.ts'

const uses = [
  aColumnUse('body', 'field', { target: 'text', title: 'Te"xt' }),
  aColumnUse('guess', 'suggestion', { target: 'label' }),
  aColumnUse('sure', 'score', { target: 'label' }),
  aColumnUse('days', 'metadata', { metadata: 'integer' }),
]
const plan: DatasetPlan = {
  ...withTemplate(aPlan(uses), 'classification', key => key),
  name: 'letters',
  workspace: { id: '1', name: 'care "team"' },
  guidelines: 'Line 1\nLine 2',
  minSubmitted: 2,
}
const run = (source: SourceDescription | null): WizardRun => ({ serverUrl: 'http://localhost:6900', plan, source })

test('a run is a program: settings, dataset, records', () => {
  const program = toPython(run({ name: 'a.csv', format: 'csv', separator: ';', encoding: 'windows-1252' }))
  for (const part of [
    'import csv\nimport json\nimport argilla as rg',
    'guidelines="Line 1\\nLine 2",',
    'rg.TextField(name="text", title="Te\\"xt", required=True, use_markdown=False),',
    'rg.LabelQuestion(name="label", title="wizard.q_label", description=None, required=True, labels={"yes": "wizard.l_yes",',
    'distribution=rg.TaskDistribution(min_submitted=2),',
    'workspace="care \\"team\\""',
    'with open("a.csv", encoding="windows-1252", newline="") as file:',
    'csv.DictReader(file, delimiter=";")',
    'id=f"a.csv-{number}",',
    'fields=filled({"text": read(row.get("body"))}),',
    'metadata=filled({"days": read(row.get("days"), int)}),',
    '("label", read(row.get("guess")), read(row.get("sure"), float), None),',
  ])
    expect(program).toContain(part)
  expect(program).toContain('api_key="••••••••••"')
})

test.each<[SourceDescription, string]>([
  [{ name: 'a.tsv', format: 'tsv' }, 'delimiter="\\t"'],
  [{ name: 'a.jsonl', format: 'jsonl' }, '[json.loads(line) for line in file if line.strip()]'],
  [{ name: 'a.json', format: 'json' }, 'json.load(file)'],
  [{ name: 'a.parquet', format: 'parquet' }, 'pd.read_parquet("a.parquet")'],
  [{ name: 'a.xlsx', format: 'excel', sheet: 'Two' }, 'pd.read_excel("a.xlsx", sheet_name="Two")'],
])('files are read as they are: $name', (source, part) => {
  expect(toPython(run(source))).toContain(part)
})

test('braces in the name of a file stay what they are', () => {
  expect(toPython(run({ name: 'a{b}.csv', format: 'csv' }))).toContain('id=f"a{{b}}.csv-{number}",')
})

test('without a file there is a dataset and no record; with a dataset there is only the file', () => {
  expect(toPython(run(null))).not.toContain('records.log')
  const existing = { workspace: 'w', dataset: 'd', plan }
  const program = toPython({ serverUrl: '', plan: null, existing, source: { name: 'a.csv', format: 'csv' } })
  expect(program).toContain('dataset = client.datasets("d", workspace="w")')
  expect(program).not.toContain('rg.Settings')
})

test('the JSON has the bodies of the calls', () => {
  const json = JSON.parse(toJson(run({ name: 'a.csv', format: 'csv', separator: ',' })))
  expect(json).toMatchObject({
    dataset: { name: 'letters', workspace: 'care "team"', distribution: { min_submitted: 2 }, fields: [{ name: 'text' }] },
    import: {
      file: 'a.csv',
      source: { format: 'csv', separator: ',' },
      mapping: { fields: [{ source: 'body', target: 'text' }] },
    },
  })
  expect(JSON.parse(toJson(run(null))).import).toBe(null)
})
