import { openTestContext, actAs, addWorkspace } from '/work/main/packages/server/src/testing/context.ts'
import { openRunCall } from '/work/main/packages/server/src/http/run-call.ts'
import { ROUTES } from '/work/main/packages/server/src/features/all.ts'
import { toBodies } from '/work/main/tests/load/dataset.ts'
import { DIMENSIONS, LABELS, SOURCES } from '/work/main/tests/load/corpus.ts'
const ctx = await openTestContext()
const acc = new Map<string, number>()
const sqlo: any = ctx.db.sql
for (const m of ['insertAll','runEach','run','all','get']) { const f = sqlo[m]; sqlo[m] = async (t: string, ...r: any[]) => { const s = performance.now(); const x = await f(t, ...r); acc.set(m+' '+t.slice(0,60), (acc.get(m+' '+t.slice(0,60))??0)+performance.now()-s); return x } }
const ws = await addWorkspace(ctx)
const owner = await actAs(ctx, 'owner')
const run = openRunCall(ROUTES)
const enc = new TextEncoder()
const call = async (routeId: string, params: any, body: any, search='') => {
  const r = await run(ctx, { routeId, params, search, contentType: 'application/json', body: body===null?null:enc.encode(typeof body==='string'?body:JSON.stringify(body)), actor: owner.actor, refusal: null, requestId: 'x' })
  if (r.status>=300) throw new Error(r.status+Buffer.from(r.body!).toString().slice(0,500))
  return r.body
}
const json = (b: any) => JSON.parse(Buffer.from(b).toString())
const d = json(await call('createDataset', {}, {name:'a', workspace_id: ws}))
const p = {dataset_id: d.id}
await call('createField', p, { name: 'text', title: 'Text', required: true, settings: { type: 'text' } })
const q = json(await call('createQuestion', p, { name: 'topic', title: 'Topic', required: true, settings: { type: 'label_selection', options: LABELS.map(value=>({value,text:value})) } }))
await call('createMetadataProperty', p, { name: 'source', title: 'Source', settings: { type: 'terms', values: SOURCES } })
await call('createMetadataProperty', p, { name: 'length', title: 'Length', settings: { type: 'integer' } })
await call('createMetadataProperty', p, { name: 'quality', title: 'Quality', settings: { type: 'float' } })
await call('createVectorsSettings', p, { name: 'embedding', title: 'E', dimensions: DIMENSIONS })
await call('publishDataset', p, null)
const N = +(process.argv[2] ?? 20000)
let cpu = 0, wall = 0
for (let s = 0; s < N; s += 5000) {
  const bodies = toBodies({id:d.id, questionId:q.id}, s, s+5000).map(b => enc.encode(b))
  const c0 = process.cpuUsage(), t0 = performance.now()
  for (const b of bodies.reverse()) {
    const r = await run(ctx, { routeId: 'upsertRecordsBulk', params: p, search: '', contentType: 'application/json', body: b, actor: owner.actor, refusal: null, requestId: 'x' })
    if (r.status !== 200) throw new Error(Buffer.from(r.body!).toString().slice(0,300))
  }
  const c1 = process.cpuUsage(c0); cpu += (c1.user+c1.system)/1000; wall += performance.now()-t0
}
console.log('ingest us/record cpu', (cpu*1000/N).toFixed(1), 'wall', (wall*1000/N).toFixed(1))

console.log([...acc].sort((a,b)=>b[1]-a[1]).slice(0,12).map(([k,v])=>(v*1000/N).toFixed(1)+' us  '+k).join('\n'))
await ctx.close()
