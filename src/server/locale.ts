/** Which of our two languages a browser asked for. */
export const localeOf = (header: string | undefined, fallback: "en" | "zh-CN"): "en" | "zh-CN" => {
  const [first = ""] = (header ?? "").split(",", 1)
  if (/^\s*zh\b/i.test(first)) return "zh-CN"
  return /^\s*en\b/i.test(first) ? "en" : fallback
}
