import { describe, expect, test } from 'vitest'
import { isShardOf, toCard } from './card.ts'
import { listConvertedFiles, listRepositoryFiles, matches, readFrontMatter } from './sources.ts'

const PLACE = { name: 'team/data', subset: 'default', split: 'train' }

test.each([
  ['data/train-0.parquet', 'data/train-*', true],
  ['data/train-0.parquet', 'data/*', true],
  ['data/train-0.parquet', '*', false],
  ['data/train-0.parquet', '**', true],
  ['data/x/train-0.parquet', 'data/**/train-*', true],
  ['data/train-0.parquet', 'data/**/train-*', true],
  ['data/train-0.parquet', 'data/train-?.parquet', true],
  ['data/train-10.parquet', 'data/train-?.parquet', false],
  ['data/trainer.parquet', 'data/train.parquet', false],
  ['data/aab', 'data/*a*b', true],
  ['data/ab', 'data/*a*a*b', false],
  ['data/a.b', 'data/a+b', false],
  [`data/${'a'.repeat(5000)}`, `data/${'*a'.repeat(500)}*b`, false],
  [`${'a/'.repeat(40)}b`, `${'**/'.repeat(40)}c`, false],
  [`${'a/'.repeat(40)}b`, `${'**/'.repeat(40)}b`, true],
])('%s matches %s: %s', (path, pattern, is) => {
  expect(matches(path, pattern)).toBe(is)
})

const readme = (configs: string) => `---\nlicense: mit\nconfigs:\n${configs}\n---\ntext`

describe('the files of a repository', () => {
  test.each([
    {
      about: 'the usual places',
      all: ['data/train-1.parquet', 'data/train-0.parquet', 'data/test-0.parquet'],
      found: 'data/train-0.parquet data/train-1.parquet',
    },
    { about: 'other formats', all: ['data/train-0.csv'], found: '' },
    { about: 'no more than the first place', all: ['train.parquet', 'data/train.parquet'], found: 'data/train.parquet' },
    {
      about: 'another subset',
      subset: 'big',
      all: ['data/train-0.parquet', 'big/train-0.parquet'],
      found: 'big/train-0.parquet',
    },
    {
      about: 'a pattern of the README',
      readme: readme('- config_name: default\n  data_files:\n  - split: train\n    path: [a/*, b/1.parquet]'),
      all: ['a/1.parquet', 'b/1.parquet', 'b/2.parquet', 'data/train-0.parquet'],
      found: 'a/1.parquet b/1.parquet',
    },
    {
      about: 'a README without the subset',
      readme: readme('- config_name: other\n  data_files: "*.parquet"'),
      all: ['data/train-0.parquet'],
      found: '',
    },
    {
      about: 'a folder of the README',
      readme: readme('- config_name: default\n  data_dir: deep/'),
      all: ['deep/train-0.parquet', 'train-0.parquet'],
      found: 'deep/train-0.parquet',
    },
    {
      about: 'files without a split',
      readme: readme('- config_name: default\n  data_files: "*.parquet"'),
      all: ['x.parquet'],
      found: 'x.parquet',
    },
    { about: 'a README that is not YAML', readme: '---\n: [\n---\n', all: ['train.parquet'], found: 'train.parquet' },
  ])('$about', ({ all, readme: text = '', subset = 'default', found }) => {
    expect(listRepositoryFiles(all, text, { ...PLACE, subset }).join(' ')).toBe(found)
  })

  test('that the hub has converted, also in part', () => {
    const all = ['default/partial-train/0000.parquet', 'default/test/0000.parquet', 'other/train/0000.parquet']
    expect(listConvertedFiles(all, PLACE)).toEqual(['default/partial-train/0000.parquet'])
  })
})

describe('the card', () => {
  const dataset = { name: 'reviews' } as Parameters<typeof toCard>[2]

  test('of an earlier export gets the new split once', () => {
    const first = toCard(null, PLACE, dataset, 2)
    const second = toCard(first, { ...PLACE, split: 'test' }, dataset, 2)
    const again = readFrontMatter(toCard(second, PLACE, dataset, 2)).configs as { data_files: unknown[] }[]
    expect(again[0]?.data_files).toHaveLength(2)
    expect(readFrontMatter(second).configs).toEqual([
      {
        config_name: 'default',
        data_files: [
          { split: 'train', path: 'data/train-*' },
          { split: 'test', path: 'data/test-*' },
        ],
      },
    ])
    expect(first).toContain('# reviews')
  })

  test.each([
    ['data/train-00000-of-00001.parquet', true],
    ['data/train-more-00000-of-00001.parquet', false],
    ['data/train-0.parquet', false],
    ['data/deep/train-00000-of-00001.parquet', false],
  ])('%s is a file of an earlier export: %s', (path, is) => {
    expect(isShardOf(path, PLACE)).toBe(is)
  })
})
