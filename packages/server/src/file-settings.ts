/** Settings of uploads and downloads: a part of `SETTINGS`. */
import { bytes, integer } from './setting-kinds.ts'

export const FILE_SETTINGS = {
  filesDays: integer(
    'FILES_DAYS',
    7,
    [1, 365],
    'Days that uploads, exports and lists of rejected rows are kept; uploads from the last piece on.',
  ),
  uploadBytesMax: bytes(
    'UPLOAD_BYTES_MAX',
    '2GiB',
    ['1KiB', '1024GiB'],
    'Largest file that can be uploaded. All files of one user may take 10 GiB together, or this limit if it is larger.',
  ),
  excelBytesMax: bytes(
    'EXCEL_BYTES_MAX',
    '512MiB',
    ['1MiB', '16GiB'],
    'Largest sheet of an Excel file that can be imported, unpacked. Texts that cells share are in memory while it is read, and may have 64 million characters.',
  ),
}
