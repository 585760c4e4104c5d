/** Filters and sorts as tables over four records, with the results for all responses and for the annotator's own. */
const terms = (scope: object, ...values: unknown[]) => ({ type: 'terms', scope, values })
const range = (scope: object, bounds: { ge?: unknown; le?: unknown }) => ({ type: 'range', scope, ...bounds })
const record = (property: string) => ({ entity: 'record', property })
const metadata = (metadata_property: string) => ({ entity: 'metadata', metadata_property })
const suggestion = (question: string, property?: string | null) => ({
  entity: 'suggestion',
  question,
  ...(property === undefined ? {} : { property }),
})
const response = (question: string) => ({ entity: 'response', question })
const STATUS = { entity: 'response', property: 'status' }
export const scopes = { record, metadata, suggestion, response, STATUS, terms, range }

/** Filter, records found on `/datasets`, and records found on `/me` by the annotator if they differ. */
export const FILTERS: [filter: object, all: string, own?: string][] = [
  [terms(record('status'), 'completed'), '01'],
  [terms(record('status'), 'completed', 'pending'), '0123'],
  [terms(record('status'), 'COMPLETED'), ''],
  [terms(record('external_id'), 'a', 10), '12'],
  [terms(record('external_id'), 'A'), ''],
  [range(record('external_id'), { ge: 'a' }), '1'],
  [range(record('external_id'), { le: '2' }), '23'],
  [terms(metadata('source'), 'web', 'book'), '01'],
  [terms(metadata('source'), 'WEB'), ''],
  [range(metadata('source'), { ge: 'm' }), '01'],
  [range(metadata('source'), { le: 'c' }), '1'],
  [terms(metadata('length'), '5'), '0'],
  [terms(metadata('length'), 5, 10), '01'],
  [terms(metadata('length'), '5.0'), '0'],
  [terms(metadata('length'), '5.5'), ''],
  [range(metadata('length'), { ge: 5 }), '01'],
  [range(metadata('length'), { le: 5 }), '02'],
  [range(metadata('length'), { ge: 4.5, le: 5.5 }), '0'],
  [range(metadata('length'), { ge: 6, le: 9 }), ''],
  [terms(metadata('weight'), 0.1), '0'],
  [range(metadata('weight'), { ge: 0.1, le: 0.1 }), '0'],
  [range(metadata('weight'), { ge: 2.5 }), '12'],
  [terms(suggestion('mood'), 'sad'), '0'],
  [terms(suggestion('mood', 'value'), 'sad', 'happy'), '01'],
  [range(suggestion('mood', 'value'), { ge: 'i' }), '0'],
  [terms(suggestion('topics'), 'art'), '0'],
  [terms(suggestion('quality'), '5'), '2'],
  [range(suggestion('quality'), { ge: 3 }), '02'],
  [terms(suggestion('comment'), 'hello'), ''],
  [range(suggestion('mood', 'score'), { ge: 0.5 }), '01'],
  [terms(suggestion('mood', 'score'), 0.9), '0'],
  [range(suggestion('topics', 'score'), { ge: 0.8 }), '0'],
  [terms(suggestion('mood', 'agent'), 'a1'), '0'],
  [terms(suggestion('mood', 'agent'), 'A1', 'a1'), '01'],
  [terms(suggestion('mood', 'type'), 'human'), '1'],
  [terms(STATUS, 'submitted'), '01', '0'],
  [terms(STATUS, 'draft'), '0', ''],
  [terms(STATUS, 'discarded'), '2'],
  [terms(STATUS, 'pending'), '3', '13'],
  [terms(STATUS, 'pending', 'discarded'), '23', '123'],
  [terms(STATUS, 'missing'), ''],
  [terms(STATUS, 'Submitted'), ''],
  [terms(response('mood'), 'happy'), '02'],
  [terms(response('mood'), 'sad', 'calm'), '01', ''],
  [terms({ ...response('mood'), property: 'status' }, 'happy'), '02'],
  [range(response('mood'), { ge: 's' }), '0', ''],
  [range(response('quality'), { ge: 4 }), '0'],
  [terms(response('quality'), 2), '0', ''],
  [range(response('quality'), { le: 3 }), '0', ''],
  [terms(response('comment'), 'Hm'), ''],
]

/** Rejected with one sentence for every caller. */
export const REFUSED_FILTERS: object[] = [
  terms(metadata('nothing'), 'a'),
  terms(metadata('extra'), '1'),
  terms(suggestion('nothing'), 'a'),
  terms(response('nothing'), 'a'),
  terms(metadata('length'), 'five'),
  terms(metadata('length'), ''),
  terms(metadata('length'), '99999999999999999999'),
  range(metadata('weight'), { ge: 'much' }),
  terms(response('quality'), 'good'),
  terms({ entity: 'response' }, 'a'),
  range(STATUS, { ge: 'draft' }),
]

/** Sort scope, ascending, descending. Missing values come last in both. */
export const SORTS: [scope: object, asc: string, desc: string][] = [
  [record('external_id'), '2301', '1032'],
  [record('inserted_at'), '0123', '3210'],
  [record('updated_at'), '0123', '3210'],
  [record('id'), '0123', '3210'],
  [record('status'), '0123', '2301'],
  [metadata('length'), '2013', '1023'],
  [metadata('weight'), '0123', '2103'],
  [metadata('source'), '1023', '0123'],
  [suggestion('mood', 'score'), '1023', '0123'],
  [suggestion('mood', 'agent'), '1023', '0123'],
  [suggestion('mood', 'type'), '1023', '0123'],
  [suggestion('mood'), '1023', '0123'],
  [suggestion('mood', null), '1023', '0123'],
  [suggestion('quality'), '0213', '2013'],
  [suggestion('comment', 'score'), '2013', '2013'],
  [response('quality'), '0123', '0123'],
  [response('mood'), '1023', '0213'],
  [STATUS, '2013', '0123'],
]

export const REFUSED_SORTS: object[] = [
  suggestion('comment'),
  suggestion('order'),
  suggestion('spots', null),
  response('comment'),
  response('order'),
  { entity: 'response' },
  suggestion('nothing'),
  response('nothing'),
  metadata('nothing'),
  metadata('extra'),
]
