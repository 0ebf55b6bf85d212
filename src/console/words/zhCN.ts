/** 控制台的中文。 */
import type { Answer, Via } from "../../domain/Approval.ts"
import type { Matcher } from "../../domain/Matcher.ts"
import { reasonText } from "../../domain/ReasonTexts.ts"
import { reveal } from "../text/reveal.ts"
import type { Words } from "./Words.ts"
import { zhDoor } from "./zhDoor.ts"
import { zhInspect } from "./zhInspect.ts"
import { zhWork } from "./zhWork.ts"

const covers = (matcher: Matcher, tool: string): string => {
  switch (matcher.kind) {
    case "command":
      return `以“${matcher.argv.join(" ")}”开头的每个命令`
    case "path":
      return matcher.glob.endsWith("/**")
        ? `对 ${matcher.glob.slice(0, -3)}/ 及其下的每次 ${tool}`
        : `对 ${matcher.glob} 的每次 ${tool}`
    case "reads":
      return "只查看此工作区的每个命令（ls、cat、git status …）"
    case "exact":
      return `仅此 ${tool} 调用，别无其他`
  }
}

const decisions: Readonly<Record<Answer, string>> = {
  allow_once: "已允许一次",
  allow_session: "本会话内已允许",
  deny: "已拒绝",
  retry: "重新运行",
  skip: "已跳过",
  stop: "已停止"
}

const vias: Readonly<Record<Via, string>> = {
  policy: "依据规则",
  grant: "依据先前的授权",
  user: "由人决定",
  timeout: "因无人及时答复",
  cancel: "因任务被停止",
  recovery: "重启之后"
}

export const zhCN: Words = {
  ...zhInspect,
  ...zhDoor,
  ...zhWork,

  skip: "跳到对话",
  sessions: "会话",
  newSession: "新建会话",
  untitled: "新会话",
  search: "搜索会话",
  archived: "已归档",
  noSessions: "还没有会话。",
  nothingFound: "没有找到。",
  unread: "未读",
  marks: { waiting: "等待你", running: "运行中", unread: "未读", none: "" },
  usage: "用量",
  audit: "审计",
  settings: "设置",
  theme: "外观",
  themes: { system: "跟随系统", light: "浅色", dark: "深色" },
  language: "语言",
  notify: "有询问时通知我",
  notifyRefused: "浏览器不允许。可在浏览器对此页面的权限设置中更改。",
  logout: (name) => (name === "" ? "退出登录" : `退出登录 ${name}`),
  unreachable: "无法连接服务器，正在重试…",
  palette: "前往…",
  palettePlaceholder: "会话或页面",
  pages: "页面",
  close: "关闭",
  cancel: "取消",
  copy: "复制",
  copied: "已复制",
  dismiss: "关闭提示",
  reload: "重新加载",
  refresh: "刷新",

  startTitle: "要做什么？",
  startFirst: "会话在一个目录中工作，做任何更改之前都会询问。",
  startAgain: "在左侧选择一个会话，或新建一个。",
  keys: [
    ["Ctrl K", "前往会话"],
    ["Alt N", "新建会话"],
    ["Alt A", "到等待中的询问"],
    ["Alt C", "到消息框"]
  ],
  title: "名称",
  titlePlaceholder: "可选",
  workspace: "目录",
  workspacePlaceholder: "服务器启动时的目录",
  modeLegend: "哪些操作无需询问",
  create: "创建",
  modes: { ask: "询问", "accept-edits": "接受编辑", plan: "仅计划", "never-ask": "从不询问" },
  modeHint: {
    ask: "读取立即执行；每次更改都会询问。",
    "accept-edits": "文件编辑直接通过，命令会询问。",
    plan: "不做任何更改。",
    "never-ask": "需要询问的操作一律拒绝。"
  },

  mode: "模式",
  rename: "重命名",
  inspect: "详情",
  actions: "更多",
  closePane: "关闭此列",
  openBeside: "在旁边打开另一个会话",
  noOthers: "没有其他会话。",
  fork: "创建副本",
  clear: "忘记对话",
  archive: "归档",
  unarchive: "取消归档",
  remove: "删除",
  removeTitle: "删除此会话？",
  removeText: "其任务会结束，对话、授权与检查点将永久消失。",
  gone: { missing: "没有这个会话", removed: "此会话已被删除" },
  goneHint: "它可能已被删除，或属于其他人。",
  backToStart: "回到开始",
  conversation: "对话",
  loadingOlder: "正在加载更早的消息…",
  toEnd: "到末尾",
  emptyTitle: "说说要做什么",
  emptyText: (workspace, passes) => `它在 ${workspace} 中工作。${passes}`,
  emptyAsks: "未经你允许不做任何更改。",
  emptyIdeas: ["修复失败的测试。", "说明这个项目是如何构成的。", "查明最近改了什么，改得对不对。"],
  offline: "没有连接。你发送的内容会在此等待，恢复后自动发出。",
  linkEnded: (why) => `连接已结束。${why}`,
  draining: "服务器正在重启；运行中的任务会在它恢复后继续。",
  heldElsewhere: "另一个程序持有此会话：此处只能阅读。",

  promptLabel: "你",
  answerLabel: "回答",
  steered: "加入正在运行的任务",
  sending: "正在发送…",
  ticked: (done) => (done ? "已完成" : "未完成"),
  showAll: "显示全部",
  showLess: "收起",
  showHidden: (count) => `显示隐藏的 ${count} 行`,
  thinking: "思考中",
  thought: (time) => (time === undefined ? "思考" : `思考了 ${time}`),
  superseded: "已中断；回答在下面重新开始。",
  cut: "在此中断。",
  imageNotLoaded: (alt) => (alt === "" ? "图片未加载" : `图片未加载：${alt}`),
  callLabel: (tool) => `调用 ${tool}`,
  callPhase: { asked: "等待你", denied: "已拒绝", ready: "等待中", running: "运行中", ended: "已结束" },
  toolStatus: {
    ok: "成功",
    error: "出错",
    denied: "已拒绝",
    cancelled: "已停止",
    timeout: "超时",
    uncertain: "结果未知"
  },
  exit: (code) => `退出码 ${code}`,
  signal: (name) => `信号 ${name}`,
  truncated: "输出已截断。",
  vias,
  decided: (decision, via, by) =>
    `${decisions[decision]}，${via === "user" && by !== undefined ? `由 ${by} 决定` : vias[via]}${via === "policy" && by !== undefined ? `（${by}）` : ""}`,
  linesAdded: (count) => `新增 ${count} 行`,
  linesRemoved: (count) => `删除 ${count} 行`,
  changesOf: (path) => `${path} 的更改`,
  cleared: "模型已忘记以上内容。",
  digested: (why) => `并非由模型撰写，而是 claw 自己的提要：${why}`,
  hookFailed: (hook, reason) => `${hook}未完成工作：${reason}`,
  compacted: (before, after) => `较早的对话已压缩：${before} → ${after} 个 token`,
  shortened: (before, after) => `较早的结果已缩短：${before} → ${after} 个 token`,
  restored: (direction, count, kept) =>
    `${direction === "undo" ? "已撤销" : "已恢复"}：${count} 个文件${kept === 0 ? "" : `，${kept} 个保持不变`}`,
  kept: {
    changed: "之后又被修改",
    uncertain: "在服务器被终止期间或之后被修改",
    not_recorded: "未被记录",
    gone: "更早的内容已不再保留",
    blocked: "被其他文件挡住"
  },
  standsIn: (model) => `模型持续失败：本任务余下部分改由 ${model} 继续。`,
  unrecorded: {
    no_git: "命令在此的更改无法撤销：未安装 git。",
    home: "命令在此的更改无法撤销：这是用户主目录。",
    too_many_files: "命令在此的更改无法撤销：文件过多。",
    too_large: "命令在此的更改无法撤销：文件过大。",
    too_slow: "命令在此的更改无法撤销：检查文件耗时过长。",
    failed: "命令在此的更改无法撤销：记录失败。"
  },
  done: "完成。",
  stopped: "已停止。",
  stoppedAnswer: "在回答中途停止。",
  stoppedCalls: "已停止：",
  stoppedBecause: (reason) => {
    if (reason === "forked") return "副本由此开始。"
    const seconds = /^nobody came back within (\S+) seconds$/.exec(reason)?.[1]
    return seconds === undefined ? `原因：${reason}。` : `并非有人停止：${seconds} 秒内没有人返回。`
  },
  tokens: (input, output) => `输入 ${input}，输出 ${output}`,

  approvalTitle: (tool) =>
    tool === "bash" ? "运行此命令？" : /^(edit|write)_/.test(tool) ? "修改此文件？" : `使用 ${tool}？`,
  recoveryTitle: "此调用被中断：可能已经发生，也可能没有",
  subagentAsks: (title: string) => `由子代理 ${title} 提出。`,
  recoveryHint: "运行期间服务器被终止。重新运行之前请先查看。",
  risk: { safe: "安全", mutating: "会修改文件", dangerous: "危险" },
  reason: (reason) => reveal(reasonText(reason, "zh-CN")),
  grantChoice: "“本会话内允许”将涵盖",
  covers,
  answers: {
    allow_once: "允许一次",
    allow_session: "本会话内允许",
    deny: "拒绝",
    retry: "重新运行",
    skip: "跳过",
    stop: "停止任务"
  },
  denyReason: "告诉模型为什么不行",
  answerLater: "没有连接时无法答复。",
  expired: "已过期",
  expiresSoon: "剩余不到一分钟。之后将被拒绝。",
  partState: { covered: "已允许", uncovered: "尚未允许", asks: "需要询问", denied: "被拒绝" },
  listComma: "；",
  wholeLine: (why) => `整行${why}`,
  trayLabel: (count) => (count === 0 ? "没有等待中的询问" : `${count} 个询问在等待`),
  trayTitle: "等待你的决定",
  inSession: (title) => `会话 ${title}`,

  composerLabel: "消息",
  composerPlaceholder: "说说要做什么，或输入 / 使用命令",
  composerHint: "Enter 发送 · Shift Enter 换行",
  send: "发送",
  stop: "停止",
  stopping: "正在停止…",
  attach: "插入文件",
  fileRefused: {
    binary: (name) => `${name} 不是文本。`,
    large: (name) => `${name} 超过 200 kB。`
  },
  whenBusyLabel: "任务运行时消息如何处理",
  whenBusy: { queue: "之后", steer: "现在" },
  whenBusyHint: { queue: "成为下一个任务", steer: "在下一轮加入正在运行的任务" },
  queueLabel: "等待中的消息",
  queuePaused: (count) => `上一个任务停止后，有 ${count} 条消息在等待。`,
  queueContinue: "继续",
  takeBack: (text) => `撤回：${text}`,
  waits: { queue: "下一个", steer: "加入此任务" },
  state: {
    idle: "就绪",
    preparing: "准备中",
    waiting_response: "思考中",
    waiting_approval: "等待你",
    executing_tools: "正在运行工具",
    appending: "保存中",
    cancelling: "正在停止",
    suspended: "已挂起"
  },
  answering: "正在回答",
  retrying: (seconds, attempt) => `${seconds} 秒后重试（第 ${attempt} 次）`,
  inLine: (place) => `等待服务器，排在第 ${place} 位`
}
