/** What is known of the files that a command runs, and of what is fed to it. Owns: the shapes. Decides nothing. */
export interface Content {
  readonly digest?: string
  /** The files, there or not. */
  readonly files?: ReadonlyArray<string>
  readonly unread?: string
  readonly unclear?: string
  /** The commands of shell scripts that it runs, and texts in other languages: for rules, as far as they show it. */
  readonly within: Within
}

export interface Within {
  readonly commands: ReadonlyArray<ReadonlyArray<string>>
  readonly texts: ReadonlyArray<string>
}

export interface Fed {
  /** Names behind `<`. */
  readonly files: ReadonlyArray<string>
  /** Here-documents and here-strings. */
  readonly texts: ReadonlyArray<string>
}
