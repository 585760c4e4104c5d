/** Attributes that the types of Vue's templates do not know. */
declare module 'vue' {
  interface HTMLAttributes {
    [name: `data-${string}`]: unknown
    popover?: true | 'auto' | 'manual' | 'hint'
    popovertarget?: string
    autofocus?: boolean | ''
  }
  interface SVGAttributes {
    [name: `data-${string}`]: unknown
  }
  interface AllowedComponentProps {
    [name: `data-${string}`]: unknown
  }
}

export {}
