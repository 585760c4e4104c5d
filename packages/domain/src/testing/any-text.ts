import fc from 'fast-check'

const SURROGATES_START = 0xd800
const SURROGATES_COUNT = 0x800
const CODE_POINT_MAX = 0x10ffff

/** Any code point that may stand alone. The library's own `binary` takes a second to prepare. */
const anyCharacter = fc
  .nat(CODE_POINT_MAX - SURROGATES_COUNT)
  .map(n => String.fromCodePoint(n < SURROGATES_START ? n : n + SURROGATES_COUNT))

export const anyText = (constraints: { minLength?: number; maxLength?: number } = {}) =>
  fc.string({ unit: anyCharacter, ...constraints })
