/** A picture for a tool; one that is not known has a general one. */
import {
  Bot,
  FilePen,
  FileSearch,
  FileText,
  Folder,
  Globe,
  type LucideIcon,
  Search,
  SquareTerminal,
  Wrench
} from "lucide-react"

const icons: Readonly<Record<string, LucideIcon>> = {
  bash: SquareTerminal,
  edit_file: FilePen,
  write_file: FilePen,
  read_file: FileText,
  list_dir: Folder,
  glob: FileSearch,
  grep: Search,
  web_fetch: Globe,
  web_search: Globe,
  subagent: Bot
}

export const ToolIcon = ({ name }: { readonly name: string }) => {
  const Icon = icons[name] ?? Wrench
  return <Icon aria-hidden size={15} className="tool-icon" />
}
