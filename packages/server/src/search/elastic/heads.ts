import type { Id } from '@postil/domain/schema'
import type { Database } from '../../storage/database.ts'

const HEADS_PER_QUERY = 1_000

export interface Head {
  dataset_id: Id
  change_no: number
  /** 1 if the dataset is published and thus has an index. */
  is_published: number
  /** 1 if the dataset was deleted. The head remains as long as its log. */
  is_deleted: number
}

/** Lists the heads of all datasets in batches. */
export async function* listHeads(db: Database): AsyncGenerator<Head[]> {
  const text = `select h.dataset_id, h.change_no, case when d.status = 'ready' then 1 else 0 end as is_published,
    case when d.id is null then 1 else 0 end as is_deleted
    from dataset_heads h left join datasets d on d.id = h.dataset_id
    where h.dataset_id > ? order by h.dataset_id limit ?`
  for (let after = ''; ; ) {
    const heads = await db.sql.all<Head>(text, [after, HEADS_PER_QUERY])
    const last = heads.at(-1)
    if (!last) return
    yield heads
    after = last.dataset_id
  }
}
