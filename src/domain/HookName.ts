/** How a hook is called where it decided or said something, and how such a name is read again. Pure. */
export interface HookName {
  /** Whose settings name it. */
  readonly tier: string
  /** `hooks.before_tool[0]` */
  readonly key: string
  readonly program: string
}

export const hookName = ({ key, program, tier }: HookName): string => `hook ${tier} ${key} (${program})`

const FORM = /^hook (operator|user|workspace) (hooks\.\w+\[\d+\]) \(([\w.+?-]{1,40})\)/

/** What stands at the beginning of a text, and what follows it. */
export const hookIn = (text: string): (HookName & { readonly rest: string }) | undefined => {
  const [whole, tier, key, program] = FORM.exec(text) ?? []
  if (whole === undefined || tier === undefined || key === undefined || program === undefined) return undefined
  return { tier, key, program, rest: text.slice(whole.length) }
}

/** What a hook adds to a prompt, as the model reads it. */
export const hookNote = (name: string, text: string): string => `[${name}]\n${text}`

/** Of a prompt that is such a note: whose, and what it says. */
export const hookNoteIn = (content: string): { readonly hook: HookName; readonly text: string } | undefined => {
  const hook = content.startsWith("[") ? hookIn(content.slice(1)) : undefined
  return hook?.rest.startsWith("]\n") === true ? { hook, text: hook.rest.slice(2) } : undefined
}
