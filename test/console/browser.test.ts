/**
 * The console as a person has it: the built page, a real browser, a real server, a model that is told what to do.
 * One server and one browser for all of it (issue 6; R242–R249, R251–R257, R309, R327–R331).
 */
import { assert, layer } from "@effect/vitest"
import { atIssuer, callable, calls } from "../support/consoleIssuer.ts"
import { answers, composer, create, say, type Sized, steps, turned, until, violations } from "../support/consolePage.ts"
import { followed, usedByKeys } from "../support/consoleKeys.ts"
import { BIG, LONG, site } from "../support/consoleKit.ts"
import { ideas, inChinese, promptsAndLimits, signingIn, subagentsAndUndo } from "../support/consoleWork.ts"
import { cuttable } from "../support/cuttable.ts"

layer(site, { excludeTestServices: true, timeout: "90 seconds" })("the console in Chromium", (it) => {
  const scene = (name: string, run: Parameters<typeof steps>[0], options = {}) =>
    it.effect(name, () => steps(run, options), { timeout: 60_000, retry: 1 })

  scene("signs in by the address, which then holds no token; a visit without asks for one (R242, R251)", signingIn)

  scene(
    "speaks Chinese to whose browser does, from its first screen on, in the dark at 390 px, too (R242)",
    inChinese,
    { locale: "zh-CN", colorScheme: "dark", viewport: { width: 390, height: 844 } }
  )

  scene("an idea is put where one writes; what would pass unasked is said of the mode (R242)", ideas)

  scene(
    "runs two sessions at once, and each keeps its own stream; a stop stops one (R243–R245, R249, R327–R329)",
    async (page, at) => {
      const net = await cuttable(page)
      await page.goto(at.url)
      const a = await create(page, "Session A")
      await say(page, "flow Alpha")
      await answers(page).getByText("Alpha begins.").waitFor()
      await create(page, "Session B")
      await say(page, "flow Beta")
      await answers(page).getByText("Beta begins.").waitFor()
      await say(page, "said too soon")
      await page.getByRole("button", { name: "Take back: said too soon" }).click()
      await until(page, "document.querySelector('.composer textarea').value === 'said too soon'")
      assert.strictEqual(await page.getByText("Alpha").count(), 0)
      assert.strictEqual(net.opened(), 2)
      await page.getByRole("link", { name: /Session A/ }).click()
      await answers(page).getByText("Alpha begins.").waitFor()
      await page.getByRole("button", { name: "Stop" }).click()
      await page.getByText("Stopped in the middle of the answer.").waitFor()
      assert.strictEqual(new URL(page.url()).pathname, a)
      at.letGo()
      await page.getByRole("link", { name: /Session B/ }).click()
      await answers(page).getByText("Beta begins. It ends.").waitFor()
      assert.strictEqual(await page.locator(".answer").count(), 1)
      assert.strictEqual(net.opened(), 2)
    }
  )

  scene(
    "asks; another session talks on meanwhile; the answer wakes its own question (R247, R257, R330, R331)",
    async (page, at) => {
      await callable(page)
      await page.goto(at.url)
      await create(page, "Asks")
      await page.getByRole("button", { name: "Settings" }).click()
      await page.getByRole("menuitemcheckbox", { name: "Notify me of questions", checked: false }).click()
      await page.getByRole("menuitemcheckbox", { name: "Notify me of questions", checked: true }).waitFor()
      await page.keyboard.press("Escape")
      await say(page, "run touch made.txt")
      const card = page.locator(".approval")
      await card.waitFor()
      assert.deepStrictEqual(await calls(page), [["Run this command?", "Asks"]])
      assert.deepStrictEqual(await card.getByRole("button").allInnerTexts(), [
        "Allow once\nY",
        "Allow for the session\nS",
        "Deny\nN"
      ])
      assert.match(await card.innerText(), /touch made\.txt[\s\S]*exactly this bash call/)
      await create(page, "Talks")
      await say(page, "say still here")
      await answers(page).getByText("still here").waitFor()
      await page.getByRole("button", { name: "1 question waits" }).first().click()
      await page.getByRole("dialog").getByRole("button", { name: "In Asks" }).click()
      await page.locator(".conversation .approval").waitFor()
      await page.locator(".conversation .approval[data-settled=true]").waitFor()
      await page.keyboard.press("Alt+a")
      await page.keyboard.press("y")
      await answers(page).getByText("ran").waitFor()
      await page.getByRole("button", { name: "Details" }).click()
      await page.getByText("allowed once").first().waitFor()
    }
  )

  scene(
    "is used by keys alone: who made a session writes in it, who answers goes on to the next question (R247)",
    usedByKeys
  )

  scene(
    "keeps room to decide in each of four columns, names them, and takes a file anywhere (R244, R247)",
    async (page, at) => {
      await page.goto(at.url)
      const paths = [await create(page, "Column A"), await create(page, "Column B"), await create(page, "Column C")]
      await page.keyboard.press("Alt+n")
      await page.getByRole("button", { name: "Create" }).click()
      await page.locator(".title").getByText("New session").waitFor()
      await say(page, "run touch a-\u202efile-of-a-name-that-is-longer-than-the-column-in-which-it-is-asked-about")
      await page.locator(".approval[data-settled=true]").waitFor()
      // Named by its first prompt, with nothing loaded again, and nothing in it turns the line around.
      await page.getByRole("heading", { name: "run touch a-⟨U+202E⟩file" }).waitFor()
      await page.goto(`${at.url}/s/${[new URL(page.url()).pathname, ...paths].map((path) => path.slice(3)).join("+")}`)
      const card = page.locator(".approval[data-settled=true]")
      await card.waitFor()
      const widths = (selector: string) =>
        page
          .locator(selector)
          .evaluateAll((all) => all.map((one) => [one.scrollWidth - one.clientWidth, one.clientWidth]))
      assert.deepStrictEqual(
        (await widths(".pane")).map(([hidden, wide]) => [hidden, (wide ?? 0) >= 380]),
        Array.from({ length: 4 }, () => [0, true])
      )
      assert.isTrue((await widths(".pane h1")).every(([, wide]) => (wide ?? 0) > 60))
      assert.deepStrictEqual((await widths(".approval"))[0]?.[0], 0)
      const { pathname } = new URL(page.url())
      await page.locator(".session-row[aria-current]").getByText("Column C").click()
      await page.locator(".pane:nth-child(4) .composer textarea:focus").waitFor()
      assert.strictEqual(new URL(page.url()).pathname, pathname)
      const dropped = await page.evaluate(`
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(["one line"], "note.txt"))
        const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true })
        !document.querySelector(".pane:nth-child(4) .conversation").dispatchEvent(event)
      `)
      assert.strictEqual(dropped, true)
      await until(page, "document.activeElement?.value?.includes('one line')")
      await page.locator(".approval").focus()
      await page.keyboard.press("n")
      await page.locator(".pane:nth-child(1) .composer textarea:focus").waitFor()
    }
  )

  scene(
    "says so where the server answers with something else, and where an address leads nowhere",
    async (page, at) => {
      await page.route("**/api/me", (route) => route.fulfill({ json: { hello: "proxy" } }))
      await page.goto(at.url)
      await page.getByText("The server cannot be reached.").waitFor()
      await page.unroute("**/api/me")
      await page.locator(".shell").waitFor()
      await page.goto(`${at.url}/s/%3Cscript%3E`)
      await page.getByText("There is no such session").waitFor()
    }
  )

  scene("says that the network has gone before any socket notices (R254)", async (page, at) => {
    await page.goto(at.url)
    await create(page, "Away")
    await page.context().setOffline(true)
    await page.getByText("No connection.").waitFor()
    await page.context().setOffline(false)
    await page.getByText("No connection.").waitFor({ state: "detached" })
  })

  scene(
    "says that the connection is lost, keeps what is sent meanwhile, and sends it once (R252, R254, R255)",
    async (page, at) => {
      const net = await cuttable(page)
      await page.goto(at.url)
      await create(page, "Cut off")
      await say(page, "say before")
      await answers(page).getByText("before").waitFor()
      net.cut()
      await page.getByText("No connection.").waitFor()
      await say(page, "say behind")
      await page.getByText("sending …").waitFor()
      await composer(page).fill("a draft")
      net.mend()
      await answers(page).getByText("behind").waitFor()
      await page.reload()
      await answers(page).getByText("behind").waitFor()
      assert.strictEqual(await page.locator(".prompt").count(), 2)
      assert.strictEqual(await composer(page).inputValue(), "a draft")
    }
  )

  scene("makes nothing of what a model or a person writes but text (SECURITY T1)", async (page, at) => {
    const evil = [
      "say **bold** <img src=x onerror=window.pwned=1>",
      "[a](javascript:window.pwned=2) [b](https://example.org/x) ![c](https://evil.example/x.png)",
      "<script>window.pwned=3</script><iframe srcdoc='<script>parent.pwned=4</script>'></iframe> \u202etxt.exe"
    ]
    const fetched: Array<string> = []
    page.on("request", (request) => fetched.push(request.url()))
    await page.goto(at.url)
    await create(page, "<img src=x onerror=window.pwned=5>")
    await say(page, evil.join("\n\n"))
    await answers(page).getByText("bold").waitFor()
    await page.locator(".answer .host").getByText("example.org").waitFor()
    assert.isUndefined(await page.evaluate(() => (globalThis as { readonly pwned?: number }).pwned))
    assert.strictEqual(await page.locator(".answer :is(img, iframe, script)").count(), 0)
    assert.deepStrictEqual(
      await page
        .locator(".answer a")
        .evaluateAll((links) => links.map((link) => [link.getAttribute("href"), link.getAttribute("rel")])),
      [
        ["https://example.org/x", "noopener noreferrer nofollow"],
        ["https://evil.example/x.png", "noopener noreferrer nofollow"]
      ]
    )
    await page.getByRole("button", { name: "Details" }).click()
    await page.getByRole("tab", { name: "Timeline" }).click()
    await page.locator(".spans").waitFor()
    assert.deepStrictEqual([await turned(page), fetched.filter((url) => !url.startsWith(at.url))], [[], []])
  })

  scene(
    "opens a session of ten thousand items at its end and loads the rest while one reads up (R246, R248, R253)",
    async (page, at) => {
      await page.goto(`${at.url}/s/${BIG}`)
      await page.getByText("answer 2499").waitFor()
      assert.isBelow(await page.locator(".row").count(), 200)
      const scroller = page.getByRole("log")
      const size = () => scroller.evaluate((element) => element.scrollHeight)
      const before = await size()
      for (let i = 0; i < 3; i++) {
        const old = await size()
        await scroller.hover()
        await page.mouse.wheel(0, -30_000)
        const grown = [await scroller.elementHandle(), old] as const
        await page.waitForFunction(([list, was]) => (list as unknown as Sized).scrollHeight > was, grown)
      }
      assert.isAbove(await size(), before)
      const [list, box, all] = [
        await scroller.boundingBox(),
        await page.locator(".composer").boundingBox(),
        page.viewportSize()
      ]
      assert.isAtLeast(box?.y ?? 0, (list?.y ?? 0) + (list?.height ?? 0) - 1)
      assert.closeTo((box?.y ?? 0) + (box?.height ?? 0), all?.height ?? 0, 1)
      await page.getByRole("button", { name: "To the end" }).click()
      await page.getByText("answer 2499").waitFor()
    }
  )

  scene("opens answers that are far too long: little of them is read and drawn (R246, R248)", async (page, at) => {
    await page.goto(at.url).then(() => page.locator(".shell").waitFor())
    // What the script itself took, however busy the machine is.
    const cdp = await page.context().newCDPSession(page)
    await cdp.send("Performance.setTimeDomain", { timeDomain: "threadTicks" })
    await cdp.send("Performance.enable")
    await page.goto(`${at.url}/s/${LONG}`)
    await page.getByText("line 19999 of many").waitFor()
    const { metrics } = await cdp.send("Performance.getMetrics")
    assert.isBelow(metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Infinity, 3)
    const nodes = () => page.evaluate<number>("document.querySelectorAll('*').length")
    assert.isBelow(await nodes(), 2_000)
    const first = page.locator("strong", { hasText: /^p0$/ })
    await page.getByRole("log").press("Home")
    await first.waitFor()
    assert.isBelow(await nodes(), 2_000)
  })

  scene("goes on following the end behind a key that moves nothing", followed)

  for (const colorScheme of ["light", "dark"] as const) {
    scene(
      `is within reach of everybody, ${colorScheme} (WCAG 2.2 AA)`,
      async (page, at) => {
        await page.goto(at.url)
        await create(page, `Reach ${colorScheme}`)
        await say(
          page,
          "say # Head\n\n`code` and [link](https://example.com/)\n\n```ts\nconst a = 1\n```\n\n- [ ] todo\n- [x] done\n\n| a |\n|---|\n| b |"
        )
        await answers(page).getByText("code and").waitFor()
        await say(page, "run touch x")
        await page.locator(".approval").waitFor()
        await page.getByRole("button", { name: "Details" }).click()
        await page.getByRole("tab", { name: "Timeline" }).click()
        assert.deepStrictEqual(await violations(page), [])
        await page.setViewportSize({ width: 390, height: 844 })
        await page.getByRole("complementary").getByRole("button", { name: "Close" }).click()
        assert.deepStrictEqual(await violations(page), [])
        assert.strictEqual(await page.evaluate("document.documentElement.scrollWidth"), 390)
      },
      { colorScheme, reducedMotion: "reduce" as const }
    )
  }

  it.effect("signs in at an issuer, and comes back to where it was asked (R251)", () => atIssuer, {
    timeout: 60_000,
    retry: 1
  })

  scene("sends a prompt by its name, and raises a limit that was met", promptsAndLimits)
  scene("shows subagents inside their calls, and takes back what they did (R256, R257)", subagentsAndUndo)
})
