"""Uses the pages of `ttrace view` in a browser: view.py CHROMIUM TTRACE TREE TRACE…

Every answer of the page is compared with the trace as `ttrace convert --to=text` has it, and the bytes of tensor writes with the reader in Python.
One browser has all pages, since its start takes longer than they do. Each trace has a process, which waits for what the browser finds in its page.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

chromium, ttrace, tree, *names = sys.argv[1:]
name = names[-1]
sys.path[:0] = [os.path.join(tree, "python"), os.path.join(tree, "tests/tools")]
reader = __import__("ttrace")
read_png = __import__("png").read_png

STEPS = """
<script>
(async () => {
  const ready = async () => { do await new Promise(done => setTimeout(done, 20)); while (document.body.dataset.state !== 'ready'); };
  const press = async (key, target = document.body) => { target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true})); await ready(); };
  const text = query => [...document.querySelectorAll(query)].map(e => e.textContent);
  const now = () => ({
    n: Number(document.querySelector('#details').dataset.n), from: Number(document.body.dataset.from), span: Number(document.body.dataset.span),
    head: text('#details > div').slice(0, 3), list: text('#list .chosen'), code: text('#code .chosen'), source: text('#source .chosen'),
    reads: [...document.querySelectorAll('#reads tr')].map(row => [row.children[0].textContent, row.children[1].textContent,
      row.querySelector('button') ? Number(row.querySelector('button').dataset.writer) : -1]),
    writes: [...document.querySelectorAll('#writes tr')].map(row => [...row.children].map(e => e.textContent)),
    lanes: text('#lanes .written td'), operands: text('#lanes .read td'), stages: text('#stages td'), waits: text('#waits td'), note: text('#note')[0], mesh: document.querySelector('#mesh').dataset.bytes || '', theme: document.documentElement.dataset.theme || '',
    focus: document.activeElement.id, status: document.querySelector('#status').textContent });
  const steps = {
    async click(n) { const c = document.querySelector('#time'), box = c.getBoundingClientRect(), at = {clientX: box.left + 110 + (n + .5 - view.from) / view.span * (c.clientWidth - 110), clientY: box.top + 30, bubbles: true};
      for (const kind of ['pointerdown', 'pointerup']) c.dispatchEvent(new PointerEvent(kind, {...at, pointerId: 1}));
      c.dispatchEvent(new MouseEvent('click', at)); await ready(); },
    async near(n) { look(n - 20, 40); await ready(); },
    async cycles(from, span) { look(from, span); await ready(); },
    async unit(cycle, name) { const c = document.querySelector('#time'), box = c.getBoundingClientRect(), lane = lanesShown.findIndex(l => l.name === name);
      c.dispatchEvent(new MouseEvent('click', {clientX: box.left + 110 + (cycle + .5 - view.from) / view.span * (c.clientWidth - 110), clientY: box.top + 22 + lane * 20 + 10, bubbles: true})); await ready(); },
    press,
    async search(query) { const input = document.querySelector('#search'); input.value = query; await press('Enter', input); },
    async row(query) { document.querySelector(query).click(); await ready(); },
  };
  Element.prototype.setPointerCapture = () => {};
  /* The work of a step: what is drawn in a frame, and which parts of the page are decompressed. */
  let operations = 0, most = 0, parts = 0;
  for (const name of ['fillRect', 'strokeRect', 'drawImage', 'fillText', 'stroke']) {
    const whole = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...words) { operations++; return whole.apply(this, words); };
  }
  const drawWhole = draw, unpack = atob;
  draw = () => { operations = 0; drawWhole(); most = Math.max(most, operations); };
  atob = text => { parts++; return unpack(text); };
  const found = [];
  await ready();
  /* After each step, the timeline has to look as if all of it were drawn again. */
  const again = async () => { const picture = canvas.toDataURL(); requestDraw(); await ready(); return picture === canvas.toDataURL(); };
  for (const [step, ...words] of WANTED) {
    most = parts = 0; await steps[step](...words); await new Promise(done => setTimeout(done, 50)); await ready();
    const shown = {...now(), most, parts};
    found.push({...shown, current: await again()});
  }
  parent.postMessage([NAME, JSON.stringify(found)], '*');
})();
</script>
</body>"""
COLLECT = """<body style="margin: 0">
<script>
addEventListener('message', e => document.body.append(Object.assign(document.createElement('pre'), {id: e.data[0], textContent: e.data[1]})));
</script>
"""
WIDTH = 1600


def fail(message):
    sys.exit(f"view.py: error: {message}")


def browse(pages, *options, beside=False):
    """Shows pages, in one place or beside each other, and returns the document."""
    with open("all.html", "w", encoding="utf-8") as file:
        file.write(COLLECT)
        for number, page in enumerate(pages):
            file.write(f'<iframe src="{page}" style="position: absolute; border: 0; left: {number * beside * WIDTH}px; top: 0; width: {WIDTH}px; height: 900px"></iframe>\n')
    width = len(pages) * WIDTH if beside else WIDTH
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
                   f"--window-size={width},900", "--virtual-time-budget=60000", *options, "file://" + os.path.abspath("all.html")]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def use(steps):
    """Takes the steps in the page, and returns what it shows after each."""
    with open(name + ".html", encoding="utf-8") as file:
        page = file.read()
    for outside in re.findall(r"https?://[^'\" ]+", page):
        fail(f"the page refers to {outside}")
    with open(name + ".steps.html", "w", encoding="utf-8") as file:
        file.write(page.replace("</body>", STEPS.replace("WANTED", json.dumps(steps)).replace("NAME", json.dumps(name))))
    print("browse", flush=True)
    text = sys.stdin.readline()
    if not text:
        fail("the page did not take all steps")
    results = list(zip(steps, json.loads(text)))
    for step, shown in results:
        if not shown["current"]:
            fail(f"the timeline after {step} is not the one that is drawn anew")
    return results


def use_all():
    """Checks all traces. Returns what they print; exits if a check fails."""
    checks = [subprocess.Popen([sys.executable, *sys.argv[:4], "--check", each], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for each in names]
    begun = [check.stdout.readline() == "browse\n" for check in checks]
    document = browse([f"{each}.steps.html" for each in names], "--dump-dom") if all(begun) else ""
    printed = []
    for each, check in zip(names, checks):
        found = re.search(rf'<pre id="{re.escape(each)}">(.*?)</pre>', document, re.S)
        text = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") + "\n" if found else ""
        printed.append(check.communicate(text)[0])
        if check.returncode:
            fail(f"{each}: status {check.returncode}")
    return "".join(printed)


def lines_of_text():
    """Returns for each record its number, its instruction and its effects."""
    text = subprocess.run([ttrace, "convert", "--to=text", name], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in text.splitlines():
        if not line.startswith("#"):
            left, _, effects = line.partition(" | ")
            yield int(left.split()[0]), re.sub(r"^\s*\d+ +(?:(?:\d+ +)?(?:t\d+|w\d+|sup) +)?\S+ (<\S+>)? *\w+ +", "", left).strip(), effects.split()


if names[0] != "--check":
    print(use_all(), end="")
    sys.exit()
records, exact = [], []
if not name.startswith("large"):
    records = list(lines_of_text())
    exact = [record for record in reader.open(name) if not record.flags & reader.START]


def writer_of(n, register):
    """Returns the last record before `n` that wrote the register, and the value; -1: there is none."""
    for i in range(n - 1, -1, -1):
        for effect in records[i][2]:
            if effect.startswith(register + "="):
                return i, effect.partition("=")[2]
    return -1, None


def memory_writer(n, address, length):
    for i in range(n - 1, -1, -1):
        for effect in exact[i].effects:
            size = effect.size if effect.kind == reader.STORE else effect.length if effect.kind == reader.WRITE else 0
            if size and effect.address < address + length and address < effect.address + size:
                return i
    return -1


def memory_before(n, address, length):
    """Returns the f32 elements of memory before record `n`, as `ttrace at` prints them."""
    text = subprocess.run([ttrace, "at", name, f"{address:#x}:f32[{length // 4}]@{records[n][0]}"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(text.partition("=")[2])


def check_record(shown, n):
    """Compares what the page shows of record `n`."""
    sequence, code, effects = records[n]
    if shown["n"] != n:
        fail(f"record {shown['n']} is shown, expected {n}")
    if shown["head"][0] != code or f"#{sequence}," not in shown["head"][1].replace("\u202f", ""):
        fail(f"the page shows {shown['head']}, expected {sequence} {code}")
    if not shown["list"] or code not in shown["list"][0] or not shown["code"] or code not in shown["code"][0]:
        fail(f"record {n}: the lists show {shown['list']} and {shown['code']}, expected {code}")
    for place, value, writer in shown["reads"]:
        if place.startswith("["):
            effect = next(e for e in exact[n].effects if e.kind in (reader.LOAD, reader.READ) and e.address == int(place[1:-1], 16))
            expected, wanted = None, memory_writer(n, effect.address, effect.size or effect.length)
        else:
            wanted, expected = writer_of(n, place)
        if wanted != writer or (expected and value.split()[0] != expected):
            fail(f"record {n}: {place} is {value} from {writer}, expected {expected} from {wanted}")
    for place, value in shown["writes"]:
        if not place.startswith("[") and "\u2192" not in value and f"{place}={value.split()[0]}" not in effects:
            fail(f"record {n}: the page says {place}={value}, expected one of {effects}")
    if len([e for e in exact[n].effects if e.kind in (reader.LOAD, reader.READ)]) != len([r for r in shown["reads"] if r[0].startswith("[")]):
        fail(f"record {n}: the page shows {shown['reads']}")


def find(pattern, first=0):
    return next(i for i in list(range(first, len(records))) + list(range(first)) if re.search(pattern, records[i][1]))


def tensor():
    """The tiled product: clicks, keys, search, the lists, and the numbers that units wrote."""
    product, some = find(r"^mm\..*\bs10,"), [1, 17, len(records) // 2, len(records) - 1]
    steps = [step for n in [*some, product] for step in (["near", n], ["click", n])]
    steps += [["press", "ArrowRight"], ["press", "ArrowLeft"], ["press", "1"], ["press", "b"], ["press", "+"], ["press", "0"], ["press", "End"], ["press", "Home"], ["press", "j"],
              ["press", "/"], ["search", "tdone"], ["press", "n"], ["press", "n"], ["press", "N"], ["search", f"#{records[100][0]}"], ["search", "mm.f32"],
              ["row", "#code .chosen"], ["row", "#source .chosen"], ["press", "d"], ["press", "d"], ["press", "m"]]
    steps += memory_steps(product)
    results = use(steps)
    check_memory(product, results[-4:])
    clicks = [shown for (step, *_), shown in results if step == "click"]
    for n, shown in zip([*some, product], clicks):
        check_record(shown, n)
    written = next(e for e in exact[product].effects if e.kind == reader.WRITE)
    numbers = struct.unpack(f"<{written.length // 4}f", written.content)
    if not all(abs(float(lane) - number) <= 1e-6 * abs(number) for lane, number in zip(clicks[-1]["lanes"], numbers)) or len(clicks[-1]["lanes"]) != len(numbers):
        fail(f"the page shows {clicks[-1]['lanes'][:8]}, expected {numbers[:8]}")
    operands = [number for e in exact[product].effects if e.kind == reader.READ for number in memory_before(product, e.address, e.length)]
    if len(clicks[-1]["operands"]) != len(operands) or not all(abs(float(lane) - number) <= 1e-6 * abs(number) for lane, number in zip(clicks[-1]["operands"], operands)):
        fail(f"the page shows the operands {clicks[-1]['operands'][:8]}, expected {operands[:8]}")
    print("clicks: instruction, operands, last writers, elements")
    rest = [shown for _, shown in results[2 * len(some) + 2:-5]]
    right, back, writer, again, closer, whole, end, home, down = rest[:9]
    for shown, n in (right, product + 1), (back, product), (writer, clicks[-1]["reads"][0][2]), (again, product), (end, len(records) - 1), (home, 0), (down, 1):
        check_record(shown, n)
    if closer["span"] >= 40 or whole["span"] != len(records):
        fail(f"the keys zoom to {closer['span']} and {whole['span']}")
    focus, first, second, third, before, number, found, code, source, dark, light, _ = rest[9:]
    if focus["focus"] != "search":
        fail("/ does not lead to the search")
    matches = [i for i, record in enumerate(records) if record[1].startswith("tdone")]
    wanted = find(r"^mm\.f32")
    once_more = next(i for i in range(wanted + 1, len(exact)) if exact[i].pc == exact[wanted].pc)
    for shown, n in zip((first, second, third, before, number, found, code), (*matches[:3], matches[1], 100, wanted, once_more)):
        check_record(shown, n)
    if "mm.f32" not in source["source"][0] or source["n"] <= code["n"]:
        fail(f"the source shows {source['source']}")
    print("keys, search, code, source")
    if {dark["theme"], light["theme"]} != {"dark", "light"}:
        fail("there is no dark and no light")
    look_at_it()


def written_byte(product):
    """Returns the address of a byte that the unit wrote."""
    return next(e.address for e in exact[product].effects if e.kind == reader.WRITE) + 5


def memory_steps(product):
    """From the begin of the trace, the next instructions that touch the byte, and the one before."""
    return [["press", "Home"], ["search", f"[{written_byte(product):#x}]"], ["press", "n"], ["press", "N"], ["press", "N"]]


def check_memory(product, results):
    address, kinds = written_byte(product), (reader.LOAD, reader.STORE, reader.READ, reader.WRITE)
    touching = [i for i, record in enumerate(exact) if any(e.kind in kinds and e.address <= address < e.address + (e.size or e.length) for e in record.effects)]
    for (step, shown), n in zip(results, (touching[0], touching[1], touching[0], touching[-1])):
        if shown["n"] != n:
            fail(f"{step} shows record {shown['n']}, expected {n}")


def threads():
    """The program of four threads, or of a supervisor and workers: each has a lane, and registers are those of the thread, since its start."""

    def name_of(thread):
        return f"t{thread}" if "barrel" not in name else "sup" if thread == 1 else f"w{thread - 2}"

    def starts(i, thread):
        return any(e.startswith(f"worker[{thread - 2}].pc=") for e in records[i][2])

    def value_of(i, thread, register):
        """Returns the value that the record gave the register of the thread."""
        place = f"worker[{thread - 2}].{register}=" if starts(i, thread) else f"{register}="
        other = "0xffffffff00000000" if re.match(r"f[ats]\d", register) else "0x0"
        return next((e.partition("=")[2] for e in records[i][2] if e.startswith(place)), other)

    some = [next(i for i, record in enumerate(exact) if record.thread == thread and record.sequence > (100 if thread > 1 else 3)) for thread in (1, 2, 3)]
    some += [i for i, record in enumerate(exact) if record.thread == 2][:4]
    results = use([step for n in some for step in (["near", n], ["unit", n, f"thread {name_of(exact[n].thread)}"])])
    for (_, shown), n in zip(results[1::2], some):
        if shown["n"] != n or records[n][1] not in shown["head"][0] or f"thread {name_of(exact[n].thread)}," not in shown["head"][1]:
            fail(f"the page shows {shown['head']} for {records[n]}")
        thread = exact[n].thread
        for register, value, writer in shown["reads"]:
            wanted = next((i for i in range(n - 1, -1, -1) if starts(i, thread) or
                           (exact[i].thread == thread and any(e.startswith(register + "=") for e in records[i][2]))), -1)
            if register.startswith("["):
                continue
            if writer != wanted or (wanted >= 0 and value.split()[0] != value_of(wanted, thread, register)):
                fail(f"record {n}: {register} is {value} from {writer}, expected {wanted}")
    print("threads: lanes and registers")


def look_at_it():
    """What a screenshot has: lanes of functions and units, the map, and another background in the dark."""
    shades = []
    for theme in "light", "dark":
        with open(f"{name}.html", encoding="utf-8") as page, open(f"{name}.{theme}.html", "w", encoding="utf-8") as file:
            file.write(page.read().replace('<html lang="en">', f'<html lang="en" data-theme="{theme}">'))
    browse([f"{name}.{theme}.html" for theme in ("light", "dark")], f"--screenshot={os.path.abspath(name)}.png", beside=True)
    both = read_png(f"{name}.png")
    for left, theme in enumerate(("light", "dark")):
        rows = [row[left * WIDTH:(left + 1) * WIDTH] for row in both]
        shades.append(sum(rows[5][1500][:3]))
        colors = {pixel[:3] for row in rows[60:260] for pixel in row[130:]}
        if not {(0xe6, 0x9f, 0x00), (0xd5, 0x5e, 0x00), (0x56, 0xb4, 0xe9)} <= colors:
            fail(f"{theme}: the timeline has not the colors of functions and units")
        if sum(abs(r - 33) + abs(g - 145) + abs(b - 140) < 60 for r, g, b, *_ in {pixel for row in rows[100:260] for pixel in row[130:]}) == 0:
            fail(f"{theme}: the map of the scratchpad is empty")
    if not shades[0] > 600 > 200 > shades[1]:
        fail(f"the backgrounds are {shades}")
    print("screenshots: light and dark")


def network():
    """The sparse program: the network has the bytes that the trace tells of each link."""
    gather = find(r"^sgather")
    (_, shown), = use([["search", "sgather"]])
    check_record(shown, gather)
    expected = {}
    for record in exact:
        for effect in record.effects:
            if effect.kind == reader.HOP:
                link = ",".join(str(number) for end in (effect.address, effect.length) for number in (end >> 32, end & 0xffffffff))
                expected[link] = expected.get(link, 0) + effect.value
    found = {link: int(size) for link, _, size in (word.partition(":") for word in shown["mesh"].split())}
    if not expected or found != expected:
        fail(f"the network has {found}, expected {expected}")
    print("network: the bytes of each link")


def cycles():
    """The tiled product with times: stages and causes of each kind of instruction, and clicks on the lane of threads and on those of units."""
    times = {time.record - 1: time for time in reader.open(name).times()}
    total = max(time.cycles["C"] for time in times.values())
    product, copy, some = find(r"^mm\."), find(r"^dma\."), [0, 1, 100, len(records) - 1]
    leave = {n: time.cycles.get("Q", time.cycles.get("X")) for n, time in times.items()}
    steps = [["press", "0"]]
    for n in some:
        steps += [["cycles", leave[n] - 20, 40], ["unit", leave[n], "instructions"]]
    for n in product, find(r"^mm\.", product + 1), copy:
        middle = (times[n].cycles["M"] + times[n].cycles["E"]) // 2
        steps += [["cycles", middle - 30, 60], ["unit", middle, times[n].unit]]
    results = use(steps)
    if results[0][1]["span"] != total or f"{total} cycles" not in results[0][1]["note"].replace("\u202f", ""):
        fail(f"the page has {results[0][1]['span']} cycles, expected {total}")
    for n, (_, shown) in zip((*some, product, find(r"^mm\.", product + 1), copy), results[2::2]):
        check_record(shown, n)
        stages = [f"{stage} {cycle}" for stage, cycle in times[n].cycles.items() if stage != "pipe"]
        if shown["stages"] != stages:
            fail(f"record {n}: the page shows {shown['stages']}, expected {stages}")
        if times[n].stall and str(leave[n] - leave[n - 1] - 1) not in shown["waits"]:
            fail(f"record {n}: the page shows {shown['waits']}, expected {leave[n] - leave[n - 1] - 1} cycles of {times[n].stall}")
        for cause in (times[n].stall, times[n].wait):
            if cause and cause not in shown["waits"]:
                fail(f"record {n}: the page shows {shown['waits']}, expected {cause}")
        if times[n].blocker and not any(records[n - times[n].blocker][1] in text for text in shown["waits"]):
            fail(f"record {n}: the page shows {shown['waits']}, expected {records[n - times[n].blocker][1]}")
    print("cycles: stages, causes, lanes of units")


def turns():
    """The barrel with times: the causes of turns that pass have a lane for each thread, and an instruction has the number of those before it."""
    times = {time.record - 1: time for time in reader.open(name).times()}
    total = max(time.cycles["C"] for time in times.values())
    leave = {n: time.cycles.get("Q", time.cycles.get("X")) for n, time in times.items()}
    before, causes, runs = {}, {}, []
    for n, time in times.items():
        for turn, thread, cause in time.passes:
            causes.setdefault(thread + 1, []).append((turn, cause))
        before[n] = causes.pop(exact[n].thread, [])
        if before[n]:
            runs.append(n)
    waited = [max((n for n in runs if before[n][0][1] == cause), key=lambda n: len(before[n])) for cause in ("memory", "barrier", "fence")]
    copy, steps = find(r"^dma\."), [["press", "0"]]
    for n in waited:
        thread = "sup" if exact[n].thread == 1 else f"w{exact[n].thread - 2}"
        middle = before[n][len(before[n]) // 2][0]
        steps += [["cycles", middle - 20, 40], ["unit", middle, "stalls " + thread], ["cycles", leave[n] - 20, 40], ["unit", leave[n], "thread " + thread]]
    middle = (times[copy].cycles["M"] + times[copy].cycles["E"]) // 2
    steps += [["cycles", middle - 30, 60], ["unit", middle, times[copy].unit]]
    results = use(steps)
    if results[0][1]["span"] != total or f"{total} cycles" not in results[0][1]["note"].replace("\u202f", ""):
        fail(f"the page has {results[0][1]['span']} cycles, expected {total}")
    for n, (_, shown) in zip([*(n for n in waited for _ in range(2)), copy], results[2::2]):
        if shown["n"] != n or records[n][1] not in shown["head"][0]:
            fail(f"the page shows {shown['head']} for {records[n]}")
        stages = [f"{stage} {cycle}" for stage, cycle in times[n].cycles.items() if stage != "pipe"]
        if shown["stages"] != stages:
            fail(f"record {n}: the page shows {shown['stages']}, expected {stages}")
        if shown["waits"][:3] != (["turns pass", str(len(before[n])), times[n].stall] if before[n] else []):
            fail(f"record {n}: the page shows {shown['waits']}, expected {len(before[n])} turns of {times[n].stall}")
    print("turns: lanes of threads, causes, what passes before an instruction")


def large():
    """A trace of more than 2 million records: each step draws little and decompresses few parts, whatever the length of the trace."""
    text = subprocess.run([ttrace, "grep", name, "ecall"], stdout=subprocess.PIPE, text=True, check=True).stdout
    count, size = int(text.split()[0]) + 1, os.path.getsize(name + ".html")
    if count < 2_000_000 or size > 2 * count:
        fail(f"the page of {count} records has {size} bytes")
    steps = [["press", "0"]]
    for span in 1_000_000, 200_000, 50_000, 1_000, 40:
        steps += [["cycles", count // 3, span]]
    steps += [["click", count // 3 + 7], ["press", "End"], ["press", "ArrowLeft"], ["search", f"#{count // 2}"]]
    results = use(steps)
    for step, shown in results:
        if shown["most"] > 5000 or shown["parts"] > 12:
            fail(f"{step} draws {shown['most']} shapes in a frame and decompresses {shown['parts']} parts")
    if results[-2][1]["most"] > 8:
        fail(f"the next instruction draws {results[-2][1]['most']} shapes, not only the frame around it")
    for (step, shown), n in zip(results[-4:], (count // 3 + 7, count - 1, count - 2, count // 2)):
        if shown["n"] != n:
            fail(f"{step} shows record {shown['n']}, expected {n}")
    print("large: few shapes and parts in each step")


if name.startswith("large"):
    large()
elif name.startswith("threads"):
    threads()
elif name.startswith("turns"):
    turns()
elif "timed" in name:
    cycles()
elif any(record[1].startswith("sgather") for record in records):
    network()
else:
    tensor()
