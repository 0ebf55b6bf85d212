/** A change as a diff, file by file. Loaded when the first one is shown. */
import { useMemo } from "react"
import { Diff as DiffView, Hunk, parseDiff } from "react-diff-view"
import "../style/diff.css"
import { useWords } from "../words/useWords.ts"
import { type DiffFile, diffFiles } from "./diffFiles.ts"
import { reveal } from "./reveal.ts"

const parsed = (text: string) => {
  try {
    return parseDiff(text)[0]
  } catch {
    return undefined
  }
}

const File = ({ file, path }: { readonly file: DiffFile; readonly path: string }) => {
  const words = useWords()
  const found = useMemo(() => parsed(file.text), [file.text])
  return (
    <figure className="diff">
      <figcaption>
        <span className="path">{path}</span>
        <span className="added" aria-label={words.linesAdded(file.added)}>
          +{file.added}
        </span>
        <span className="removed" aria-label={words.linesRemoved(file.removed)}>
          −{file.removed}
        </span>
      </figcaption>
      <div className="diff-scroll" tabIndex={0} role="region" aria-label={words.changesOf(path)}>
        {found === undefined ? (
          <pre>{file.text}</pre>
        ) : (
          <DiffView viewType="unified" diffType={found.type} hunks={found.hunks}>
            {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
          </DiffView>
        )}
      </div>
    </figure>
  )
}

const Diff = ({ diff, path }: { readonly diff: string; readonly path?: string }) => {
  const files = useMemo(() => diffFiles(reveal(diff)), [diff])
  if (files.length === 0) return <pre className="output">{reveal(diff)}</pre>
  return files.map((file, i) => <File key={i} file={file} path={path ?? file.path} />)
}

export default Diff
