/** 登录与退出，以及无法显示时的说明。 */
import type { enDoor } from "./enDoor.ts"

export const zhDoor: Record<keyof typeof enDoor, string> = {
  loginTitle: "登录",
  loginText: "粘贴 claw serve 显示的令牌，或你的 API 令牌。",
  token: "令牌",
  login: "登录",
  loginIssuer: "通过身份提供方登录",
  wrongToken:
    "此令牌在此处未知、已过期或已被撤销。claw serve 显示的令牌只能使用一次；claw token create --user local 可创建新的令牌。",
  loginEnded: "你的登录已失效。正在写的内容会保留。",
  signOutTitle: "退出登录？",
  signOutText: "再次登录需要令牌：claw serve 显示的令牌已用过。重新启动会显示新的令牌，也可用 claw token create 创建。",
  signOut: "退出登录",
  broken: "无法显示此页面",
  brokenHint: "收到了控制台无法理解的回答。你的会话不受影响。",
  copyMark: "（副本）"
}
