/** Legacy routes for task datasets. `workspace` comes from the query or a header, see the server's `legacy/mount.ts`. */
import {
  AnyJson,
  Dictionary,
  List,
  NullByDefault,
  OneOf,
  Optional,
  Shape,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../schema.ts'
import { legacyRoute } from './route.ts'
import { TASKS } from './tasks.ts'

/** `workspace` is empty if the request does not name one. */
export const PlaceParams = Shape({ workspace: Text(), name: Text() })
export const TaskParams = Shape({ workspace: Text(), name: Text(), task: OneOf(TASKS) })

export const DatasetName = Type.String({ minLength: 1, maxLength: 200, pattern: '^(?![-_])[a-z0-9_-]+$' })
export const Tags = Dictionary(Text())
export const DatasetMetadata = Dictionary(AnyJson)

export const LegacyDataset = Shape({
  tags: Tags,
  metadata: DatasetMetadata,
  name: Text(),
  task: OneOf(TASKS),
  workspace: Text(),
  /** `<workspace>.<name>`. */
  id: Text(),
  /** Same as the workspace. */
  owner: Text(),
  created_at: Timestamp,
  created_by: Optional(Text()),
  last_updated: Timestamp,
})
export type LegacyDataset = Static<typeof LegacyDataset>

const Described = { tags: NullByDefault(Tags), metadata: NullByDefault(DatasetMetadata) }

export const legacyListDatasets = legacyRoute({
  id: 'legacyListDatasets',
  method: 'GET',
  paths: ['/api/datasets', '/api/datasets/'],
  runs: 'reader',
  summary: 'Task datasets of a workspace, or of all that the caller may see',
  params: Shape({ workspace: Text() }),
  response: List(LegacyDataset),
})

export const LegacyDatasetCreate = Shape({
  name: DatasetName,
  task: OneOf(TASKS),
  workspace: NullByDefault(Text()),
  ...Described,
})
export type LegacyDatasetCreate = Static<typeof LegacyDatasetCreate>

export const legacyCreateDataset = legacyRoute({
  id: 'legacyCreateDataset',
  method: 'POST',
  paths: ['/api/datasets', '/api/datasets/'],
  runs: 'writer',
  summary: 'Create a task dataset',
  params: Shape({ workspace: Text() }),
  body: LegacyDatasetCreate,
  response: LegacyDataset,
})

export const legacyGetDataset = legacyRoute({
  id: 'legacyGetDataset',
  method: 'GET',
  paths: ['/api/datasets/{name}'],
  runs: 'here',
  summary: 'A task dataset',
  params: PlaceParams,
  response: LegacyDataset,
})

export const LegacyDatasetUpdate = Shape(Described)
export type LegacyDatasetUpdate = Static<typeof LegacyDatasetUpdate>

export const legacyUpdateDataset = legacyRoute({
  id: 'legacyUpdateDataset',
  method: 'PATCH',
  paths: ['/api/datasets/{name}'],
  runs: 'writer',
  summary: 'Merge tags and metadata into those of a task dataset',
  params: PlaceParams,
  body: LegacyDatasetUpdate,
  response: LegacyDataset,
})

export const legacyDeleteDataset = legacyRoute({
  id: 'legacyDeleteDataset',
  method: 'DELETE',
  paths: ['/api/datasets/{name}'],
  runs: 'writer',
  summary: 'Delete a task dataset with its records, if it exists',
  params: PlaceParams,
  response: Type.Null(),
})

export const LegacyDatasetCopy = Shape({ name: DatasetName, target_workspace: NullByDefault(Text()), ...Described })
export type LegacyDatasetCopy = Static<typeof LegacyDatasetCopy>

export const legacyCopyDataset = legacyRoute({
  id: 'legacyCopyDataset',
  method: 'PUT',
  paths: ['/api/datasets/{name}:copy'],
  runs: 'writer',
  summary: 'Copy a task dataset with its records, settings and rules',
  params: PlaceParams,
  body: LegacyDatasetCopy,
  response: LegacyDataset,
})

export const legacyCloseDataset = legacyRoute({
  id: 'legacyCloseDataset',
  method: 'PUT',
  paths: ['/api/datasets/{name}:close'],
  runs: 'writer',
  summary: 'Close a task dataset: it cannot be searched',
  params: PlaceParams,
  response: Type.Null(),
})

export const legacyOpenDataset = legacyRoute({
  id: 'legacyOpenDataset',
  method: 'PUT',
  paths: ['/api/datasets/{name}:open'],
  runs: 'writer',
  summary: 'Open a task dataset again',
  params: PlaceParams,
  response: Type.Null(),
})

export const legacyDatasetContracts = [
  legacyListDatasets,
  legacyCreateDataset,
  legacyGetDataset,
  legacyUpdateDataset,
  legacyDeleteDataset,
  legacyCopyDataset,
  legacyCloseDataset,
  legacyOpenDataset,
]
