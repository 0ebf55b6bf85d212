/** What stands between a configuration and a model server, as rows of `FaultTexts`: with its name, in both languages. */
export const setupRows = {
  no_model_configured: ["No model is configured.", "未配置模型。"],
  set_one_of: [
    "Set OPENAI_API_KEY or ZHIPU_API_KEY, or OPENAI_BASE_URL for your own server, or CLAW_PROVIDER to one of {names}; or try `--provider demo`, which needs none.",
    "请设置 OPENAI_API_KEY 或 ZHIPU_API_KEY，或为自己的服务设置 OPENAI_BASE_URL，或将 CLAW_PROVIDER 设为 {names} 之一；也可试用无需任何设置的 `--provider demo`。"
  ],
  no_provider: ['{source} is "{name}", which is no provider.', "{source} 为“{name}”，没有这个提供方。"],
  known_providers: ["Known: {names}, demo.", "可用：{names}, demo。"],
  no_url: ['"{text}" is not a URL.', "“{text}”不是 URL。"],
  proxy_no_url: ["{variable} is no URL.", "{variable} 不是 URL。"],
  url_like: ["It should look like {example}.", "应类似于 {example}。"],
  url_scheme: ["The base URL must begin with http:// or https://.", "地址必须以 http:// 或 https:// 开头。"],
  url_user: ["The base URL must not contain a user name or password.", "地址中不能含有用户名或密码。"],
  no_address: [
    'Set OPENAI_BASE_URL: the provider "{name}" has no address of its own.',
    "请设置 OPENAI_BASE_URL：提供方“{name}”没有自己的地址。"
  ],
  needs_key: ["Set {variables}: {title} needs an API key.", "请设置 {variables}：{title} 需要 API 密钥。"],
  needs_model: [
    "Name a model for {title} with --model or CLAW_MODEL; `claw doctor` lists what it has.",
    "请用 --model 或 CLAW_MODEL 为 {title} 指定模型；`claw doctor` 会列出可用的模型。"
  ],
  proxy_kind: [
    "{variable} names a {protocol} proxy; claw uses http:// and https:// proxies only.",
    "{variable} 指向 {protocol} 代理；claw 只使用 http:// 与 https:// 代理。"
  ]
} as const satisfies Readonly<Record<string, readonly [en: string, zh: string]>>
