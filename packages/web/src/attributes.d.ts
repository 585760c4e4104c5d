/** Attributes that are missing in Vue's template types. */
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
