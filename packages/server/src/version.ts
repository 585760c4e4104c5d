/** Every version this server names, in one place. */
import manifest from '../package.json' with { type: 'json' }

export const SERVER_NAME = 'Postil'

/** Postil's own version. */
export const POSTIL_VERSION = manifest.version

/** The level of the interface that existing clients check. */
export const API_VERSION = '2.8.0'
