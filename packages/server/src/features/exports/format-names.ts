import type { ExportFormat } from '@postil/domain/exports'

interface FormatNames {
  /** Suffix after the name of the dataset. */
  ending: string
  mediaType: string
}

/** File suffix and media type of each format. */
export const FORMATS: Record<ExportFormat, FormatNames> = {
  jsonl: { ending: '.jsonl', mediaType: 'application/x-ndjson' },
  csv: { ending: '.csv', mediaType: 'text/csv; charset=utf-8' },
  parquet: { ending: '.parquet', mediaType: 'application/vnd.apache.parquet' },
  datasets: { ending: '-datasets.zip', mediaType: 'application/zip' },
  disk: { ending: '-disk.zip', mediaType: 'application/zip' },
  conll: { ending: '.conll', mediaType: 'text/plain; charset=utf-8' },
  spacy: { ending: '-spacy.jsonl', mediaType: 'application/x-ndjson' },
}
