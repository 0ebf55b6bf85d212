/**
 * What the analysis of a command says, in Chinese, for the terminal and the console. Owns: one row a sentence. What no
 * row knows stays English: a reason is never left out for want of a translation. Invariant: names and words of the
 * command pass through as they are.
 */
type Row = readonly [form: RegExp, chinese: string]

const whole: Readonly<Record<string, string>> = {
  "is longer than 64 KiB": "超过 64 KiB",
  "is not valid Unicode": "不是有效的 Unicode",
  "contains a NUL character": "含有 NUL 字符",
  "contains carriage returns": "含有回车符",
  "runs nothing that can be named": "没有可辨认的命令",
  "has a condition": "含有条件语句",
  "has a loop": "含有循环",
  "has a subshell": "含有子 shell",
  "has a group": "含有命令组",
  "has a case": "含有 case 语句",
  "has a test expression": "含有测试表达式",
  "defines a function": "定义了函数",
  "starts a coprocess": "启动协进程",
  "evaluates arithmetic": "计算算术表达式",
  "times a command": "为命令计时",
  "negates nothing": "取反却没有命令",
  "cannot be taken apart": "无法拆解",
  "is nested too deeply to be judged": "嵌套过深，无法判断",
  "starts itself without end": "会无止境地启动自身",
  "has something that is not understood": "含有无法理解的部分",
  "has redirects that can be read in two ways": "含有可作两种理解的重定向",
  "expands a variable": "展开变量",
  "expands a tilde": "展开波浪号",
  "expands a here-document": "展开 here-document",
  "has a here-document without an end": "here-document 没有结尾",
  "has no here-string": "缺少 here-string",
  "runs a command inside a word": "在参数中运行命令",
  "runs a command as a file": "把命令当作文件运行",
  "translates a string": "翻译字符串",
  "uses an extended glob": "使用扩展通配符",
  "spells characters as numbers": "用数字拼写字符",
  "contains invisible or control characters": "含有不可见字符或控制字符",
  "mixes braces with quotes or expansions": "花括号与引号或展开混用",
  "assigns a variable": "给变量赋值",
  "the program's name is not literal": "程序名不是字面文本",
  "redirects to a name that is not literal": "重定向到非字面的文件名",
  "reads a file whose name is not literal": "读取文件名非字面的文件",
  "has an option too long to be taken apart": "选项过长，无法拆解",
  "may evaluate a subscript": "可能计算下标",
  "may read files that its filter names": "可能读取其过滤器所指的文件",
  "sets the host's name": "会设置主机名",
  "sets the clock": "会设置时钟",
  "fetches packages of its own": "会自行获取软件包",
  "find deletes what it finds": "find 会删除它找到的内容",
  "is fed to a shell": "被送入 shell 执行",
  "a shell runs whatever it is given": "shell 会运行给它的任何内容",
  "an interpreter runs whatever it is given": "解释器会运行给它的任何内容",
  "it runs programs that its files or options name": "它会运行其文件或选项所指的程序",
  "it reaches the network, and no host was named": "它会访问网络，且未限定主机",
  "it reaches processes or keys that are not the workspace's": "它会触及工作区之外的进程或密钥",
  "changes or asks a remote": "修改或查询远程",
  "names several remotes": "指定了多个远程",
  "systemctl would stop the machine": "systemctl 会停止机器",
  "opens a network connection through a redirect": "通过重定向打开网络连接",
  "git would change its configuration, which tools never write": "git 会改动其配置，工具从不写入",
  "closes a descriptor and hides a word behind it": "关闭一个描述符，其后藏有一个词",
  "has a backslash that $'…' keeps": "含有 $'…' 会保留的反斜杠",
  "takes further words from a file": "从文件中读取更多参数",
  "shows what the environments of processes hold": "会显示各进程的环境变量",
  "it writes names that it makes up": "它写入自己拼出的文件名",
  "what it runs has changed since it was asked about": "它要运行的内容在询问后已改变",
  "walks over too much to be looked through": "遍历的内容过多，无法逐一检查",
  "the line has several commands; a grant of first words covers one": "此行有多个命令，按开头词的授权只涵盖一个",
  "an earlier approval covers it": "先前的批准涵盖它",
  "plan mode changes nothing; write_plan writes a plan": "plan 模式不做任何更改；计划用 write_plan 写下",
  "it makes a new plan file": "新建一个计划文件",
  "file edits are accepted": "接受文件编辑",
  "bypass mode allows what is not denied": "bypass 模式允许一切未被拒绝的操作",
  "the arguments are not valid Unicode": "参数不是有效的 Unicode",
  "the arguments are not valid JSON": "参数不是有效的 JSON",
  "it touches a file that is asked about every time": "涉及每次都要询问的文件",
  "touches a file that is asked about every time": "涉及每次都要询问的文件",
  "is too much to be judged": "内容过多，无法判断",
  "what lies below cannot be looked through": "无法逐一检查其下的内容",
  "takes words from its input": "从输入中读取参数",
  "it is a program of git's own": "它是 git 自带的程序",
  "it changes the shell for what follows": "它会改变 shell，影响其后的命令",
  "rsync deletes where it copies": "rsync 会在复制的目的地或来源删除文件",
  "nobody answered in time": "无人及时回答",
  "the answer was not understood": "回答无法理解",
  "the answer names a grant that was not offered": "回答所选的授权并未提供",
  "the grant could not be saved, so it counts only this once": "授权无法保存，因此仅此一次有效",
  "it is asked about every time, so it counts only this once": "它每次都要询问，因此仅此一次有效",
  "it would need an approval and nobody can be asked; the tools that only look need none":
    "需要批准而无人可问；只查看的工具无需批准"
}

/** `$1` … are what the form caught. */
const rows: ReadonlyArray<Row> = [
  [/^what it runs may be changed by (.*) before it$/s, "它要运行的内容可能被前面的 $1 改变"],
  [/^where it leads may be changed by (.*) before it$/s, "它指向之处可能被前面的 $1 改变"],
  [/^(.*) may become any destination$/s, "$1 可能成为任意目标"],
  [/^(.*) holds the control plane$/s, "$1 含有控制面"],
  // The line as a whole.
  [/^cannot be read: (.*)$/s, "无法解析：$1"],
  // Words and redirects.
  [/^makes more than (\d+) words with braces$/, "花括号展开超过 $1 个词"],
  [/^sets (\S+)$/, "设置变量 $1"],
  [/^reads (.*) outside the workspace$/s, "读取工作区之外的 $1"],
  [/^(\S+) overwrites (.*)$/s, "$1 会覆盖 $2"],
  [/^may read files that its filter names(?:, or the environment)?$/, "可能读取其过滤器所指的文件或环境变量"],
  [/^writes its second file$/, "会写入它的第二个文件"],
  [/^writes (.*)$/s, "写入 $1"],
  [/^(reads|searches|lists|reaches) (.*), which may hold secrets$/s, "触及 $2，其中可能有机密"],
  [/^(.*) leads outside the workspace$/s, "$1 指向工作区之外"],
  [/^(.*) can make other programs run code$/s, "$1 会让其他程序运行代码"],
  [/^(.*) belongs to the control plane$/s, "$1 属于控制面"],
  [/^(.*) may become an option$/s, "$1 可能变成选项"],
  [/^(.*) would become an option if a file of such a name came to be$/s, "若出现这样命名的文件，$1 会变成选项"],
  [/^(.*) matches too many files$/s, "$1 匹配的文件过多"],
  [/^(.*) holds too much to be looked through$/s, "$1 内容过多，无法逐一检查"],
  [/^has the option (.*) before git's command$/s, "git 子命令前有选项 $1"],
  [/^has the option (.*)$/s, "带有选项 $1"],
  // Programs.
  [/^(.*) starts another program$/s, "$1 会启动另一个程序"],
  [/^is started by (.*)$/s, "由 $1 启动"],
  [/^(.*) runs a script that is not literal$/s, "$1 运行非字面的脚本"],
  [
    /^(.*) moves what follows into another directory, where its words may mean other files$/s,
    "$1 让其后的命令在另一目录运行，其中的参数可能指向别的文件"
  ],
  [/^(.*) changes the shell or runs what it is given$/s, "$1 会改变 shell 或运行给它的内容"],
  [/^(.*) is no ordinary program name$/s, "$1 不是普通的程序名"],
  [/^(.*) is a file that tools may have written$/s, "$1 可能是工具写出的文件"],
  [/^PATH looks for (.*) in (.*) first$/s, "PATH 会先在 $2 中查找 $1"],
  [/^(.*) cannot be read$/s, "无法读取 $1"],
  [/^(.*) is not known here, and may run whatever its words name$/s, "不认识 $1，它可能运行参数所指的任何东西"],
  [/^(.*) runs what the package brings along$/s, "$1 会运行软件包自带的程序"],
  [/^the code that (.*) is given may be refused: (.*)$/s, "交给 $1 的代码可能含有会被拒绝的命令"],
  [/^the code that (.*) is given names what the rule (.*) denies$/s, "交给 $1 的代码提到了规则 $2 所禁止的内容"],
  [/^is what (\S+) runs$/, "由 $1 运行"],
  [/^is evaluated once more$/, "会被再次求值"],
  [/^hands (.*) to a script, which may run it$/s, "把 $1 交给脚本，脚本可能会运行它"],
  [/^has what a variable holds$/, "含有变量的内容"],
  [/^the configuration of (.*) sets (.*)$/s, "$1 的配置设置了 $2"],
  [/^its submodules cannot be looked through$/, "无法检查其子模块"],
  [/^nobody can say in which directory it runs$/, "无法得知它会在哪个目录运行"],
  [/^nobody can tell what else (.*) runs$/s, "无法得知 $1 还会运行什么"],
  [/^(.*) does more than look$/s, "$1 不只是查看"],
  [/^(.*) is no script of the manifest$/s, "$1 不是清单中的脚本"],
  [/^(.*) has options before its command$/s, "$1 的子命令前有选项"],
  [/^git (.*) may be an alias or run programs$/s, "git $1 可能是别名，或会运行程序"],
  [/^git (.*) writes whatever its patch names$/s, "git $1 会写入补丁所指的任何文件"],
  [/^git (.*) loses work that nothing keeps$/s, "git $1 会丢失无处保存的工作"],
  [/^(.*) takes away what it names$/s, "$1 会去掉它所指的内容"],
  [/^(.*) takes away what it packs$/s, "$1 会去掉它所打包的内容"],
  [/^(.*) clean takes away what was built$/s, "$1 clean 会去掉已构建的内容"],
  [/^(.*) changes files in place$/s, "$1 会就地改动文件"],
  [/^(.*) changes the files that it finds$/s, "$1 会改动它找到的文件"],
  [/^(.*) deletes what it is told to$/s, "$1 会删除指定的内容"],
  [/^the code of (.*)$/s, "$1 的代码"],
  [/^what lies in (.*)$/s, "$1 中的内容"],
  [/^links below (.*) may lead outside$/s, "$1 之下的链接可能指向工作区之外"],
  [/^the repository's configuration sets (.*)$/s, "仓库的配置设置了 $1"],
  [/^the remote (.*) lies in the workspace$/s, "远程 $1 位于工作区内"],
  [
    /^(.*) before it may make git look into a repository that nobody has looked at$/s,
    "前面的 $1 可能让 git 进入未经检查的仓库"
  ],
  [/^(.*) changes all that lies below$/s, "$1 会改动其下的全部内容"],
  [/^(.*) writes files that no word names$/s, "$1 会写入没有参数指明的文件"],
  [/^the repository's (.*) hook would run$/s, "会运行仓库的 $1 钩子"],
  [/^(.*) is no remote of the configuration alone$/s, "$1 不是配置中唯一确定的远程"],
  // Refusals.
  [/^(.*) takes other rights$/s, "$1 会取得其他权限"],
  [/^(.*) stops the machine$/s, "$1 会停止机器"],
  [/^(.*) changes a disk$/s, "$1 会改动磁盘"],
  [/^(.*) would change all of (.*)$/s, "$1 会改动 $2 的全部内容"],
  [/^(.*) would delete all of (.*)$/s, "$1 会删除 $2 的全部内容"],
  [/^(.*) would reach a host's metadata or a link-local address$/s, "$1 会访问主机元数据或链路本地地址"],
  [/^(.*) would change (.*), which tools never write$/s, "$1 会改动 $2，工具从不写入"],
  [/^would write (.*), which tools never write$/s, "会写入 $1，工具从不写入"],
  [/^(.*) would write to the device (.*)$/s, "$1 会写入设备 $2"],
  [/^would write to the device (.*)$/s, "会写入设备 $1"],
  [/^would write (.*) outside the workspace$/s, "会写入工作区之外的 $1"],
  [/^(.*) would write (.*), which tools never write$/s, "$1 会写入 $2，工具从不写入"],
  [/^(.*) may change what (.*) names, which tools never write$/s, "$1 可能改动 $2 所指的内容，工具从不写入"],
  [/^would write (.*), which nobody can place$/s, "会写入无法定位的 $1"],
  [/^The command writes where it may not: (.*)$/s, "命令写入了不可写之处：$1"],
  [
    /^(.*) belongs to the control plane(?: \(\.git, \.claw\))?, which tools never write$/s,
    "$1 属于控制面，工具从不写入"
  ],
  [/^(.*) is claw's own configuration, which tools never write$/s, "$1 是 claw 自己的配置，工具从不写入"],
  [/^(.*) is read by git as its settings, which tools never write$/s, "$1 会被 git 当作设置读取，工具从不写入"],
  [
    /^(.*) belongs to a directory that git takes, or would then take, for a repository, which tools never write$/s,
    "$1 所在的目录是（或将成为）git 仓库，工具从不写入"
  ],
  [/^(.*) tells agents what to do$/s, "$1 会告诉代理该做什么"],
  // Policy.
  [
    /^plan mode changes nothing; write_plan writes a plan: (.*)$/s,
    "plan 模式不做任何更改（计划用 write_plan 写下）：$1"
  ],
  [
    /^(.*) may name what the rule (.*) denies: nobody can know before$/s,
    "$1 可能涉及规则 $2 所禁止的内容：事先无法得知"
  ],
  [
    /^what it would run stands in no word of it, and the rule (.*) denies something$/s,
    "它要运行的内容未写在命令里，而规则 $1 有所禁止"
  ],
  [/^comes by (.*), which the rule (.*) denies$/s, "会触及 $1，规则 $2 拒绝"],
  [/^empties (.*), which the rule (.*) denies$/s, "会清空 $1，规则 $2 拒绝"],
  [/^the arguments name (.*) twice$/s, "参数中 $1 出现两次"],
  [/^The command (.*)\.$/s, "命令 $1。"],
  [/^the command (.*)$/s, "命令 $1"],
  [/^runs (.*)$/s, "运行 $1"],
  [/^creates (.*)$/s, "创建 $1"],
  [/^changes (.*)$/s, "修改 $1"],
  [/^reads (.*)$/s, "读取 $1"],
  [/^the (hook .*) wants it asked about$/s, "$1 要求询问"],
  [/^the rule (.*) denies it$/s, "规则 $1 拒绝"],
  [/^the rule (.*) allows it$/s, "规则 $1 允许"],
  [/^it would need an approval: (.*)$/s, "需要批准：$1"],
  [/^what it runs has changed since the grant (\S+) was given$/, "自授权 $1 以来，它运行的内容已改变"],
  [/^the grant (\S+) of its first words is ignored: (.*)$/s, "忽略对其开头词的授权 $1：$2"],
  [/^the rule (.*) asks about (.*)$/s, "规则 $1 要求询问 $2"]
]

/** A sentence about a command holds another one: that is translated too. */
const INNER = /^(命令 |需要批准：|plan 模式不做任何更改（计划用 write_plan 写下）：)(.*?)(。?)$/s

/** `runs make test (nobody can tell what else Makefile runs; …)` */
const WITH_WHY = /^(.*?) \((.*)\)$/s

const chinese = (reason: string): string => {
  const [, first = "", behind = ""] = WITH_WHY.exec(reason) ?? []
  const whys = behind.split("; ")
  if (behind !== "" && isKnownReason(first) && whys.every(isKnownReason))
    return `${sentence(first)}（${whys.map(sentence).join("；")}）`
  return sentence(reason)
}

const sentence = (reason: string): string => {
  if (Object.hasOwn(whole, reason)) return whole[reason]!
  const row = rows.find(([form]) => form.test(reason))
  if (row === undefined) return reason
  const text = reason.replace(row[0], row[1])
  const inner = INNER.exec(text)
  return inner === null ? text : `${inner[1] ?? ""}${chinese(inner[2] ?? "")}${inner[3] ?? ""}`
}

export const reasonText = (reason: string, locale: "en" | "zh-CN"): string =>
  locale === "en" ? reason : chinese(reason)

/** Whether every word of it is ours to translate; for the test that no reason was forgotten. */
export const isKnownReason = (reason: string): boolean =>
  Object.hasOwn(whole, reason) || rows.some(([form]) => form.test(reason))
