/** All versions that this server reports. */
import manifest from '../package.json' with { type: 'json' }

export const SERVER_NAME = 'Postil'

export const POSTIL_VERSION = manifest.version

/** API version that existing clients check. */
export const API_VERSION = '2.8.0'

/** API version that 1.x clients check on the legacy routes. */
export const LEGACY_API_VERSION = '1.29.1'
