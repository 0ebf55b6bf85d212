/** What a person is told of the connection to a server, and of what the wire cannot do, in both languages. */
import type { Locale } from "./Commands.ts"

const en = {
  lost: "The connection to the server is lost; trying again.",
  back: "Reconnected.",
  again: "There is no connection to stop anything over. Ctrl-C again to leave.",
  left: "The conversation was left while the server could not be reached.",
  draining: "The server is ending; its tasks go on when it is back.",
  grants: "The wire has no message for grants; the server's HTTP API lists and revokes them.",
  sessions: "The wire has no message that lists sessions; the server's HTTP API does. /resume ID works.",
  bypass: "bypass cannot be set from here."
}

export const remoteTexts: Readonly<Record<Locale, Readonly<Record<keyof typeof en, string>>>> = {
  en,
  "zh-CN": {
    lost: "与服务器的连接已断开，正在重试。",
    back: "已重新连接。",
    again: "没有连接，无法停止任何任务。再按 Ctrl-C 退出。",
    left: "无法连接服务器，已离开对话。",
    draining: "服务器正在关闭；任务会在它恢复后继续。",
    grants: "通信协议没有授权相关的消息；请用服务器的 HTTP API 查看和撤销。",
    sessions: "通信协议没有列出会话的消息；请用服务器的 HTTP API。/resume ID 可用。",
    bypass: "不能从这里设置 bypass。"
  }
}
