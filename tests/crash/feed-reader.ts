/**
 * A program that follows the change feed of a dataset in a separate process. It stores the entries of each response and the next
 * position in one transaction of its database. `node feed-reader.ts <url of the feed> <API key> <database file> [<last entry>]`;
 * it ends after it has stored the last entry, and otherwise runs until it is killed.
 */
import { DatabaseSync } from 'node:sqlite'
import type { FeedPage } from '@postil/domain/change-feed'

const [url = '', apiKey = '', file = '', last = 'Infinity'] = process.argv.slice(2)
const db = new DatabaseSync(file)
// No unique constraint on entries, because the test checks that none is stored twice.
db.exec(`create table if not exists entries (position integer primary key, change_no integer, body text);
  create table if not exists reached (change_no integer)`)
const insert = db.prepare('insert into entries (change_no, body) values (?, ?)')

const findReached = () => Number(db.prepare('select max(change_no) as change_no from reached').get()?.change_no ?? 0)

function store({ items, next }: FeedPage): void {
  db.exec('begin')
  for (const item of items) insert.run(item.change_no, JSON.stringify(item))
  db.prepare('insert into reached values (?)').run(next)
  db.exec('commit')
}

console.log('reads')
for (let after = findReached(); after < Number(last); after = findReached()) {
  const limit = 1 + (after % 7)
  const response = await fetch(`${url}?after=${after}&limit=${limit}&wait=5`, { headers: { 'x-argilla-api-key': apiKey } })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const page = (await response.json()) as FeedPage
  store(page)
  if (page.items.length > 0) console.log('stored')
}
