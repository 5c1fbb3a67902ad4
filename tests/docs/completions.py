"""The completions that are made from the tables of options: shells load them, and complete what --help lists.

RUN: %python %s %tasm %tld %tobjdump %temu %tdiff %ttrace %isagen | FileCheck --match-full-lines --implicit-check-not={{.}} %s
CHECK: bash: 7 tools
CHECK: temu --trace-fo: --trace-format=
CHECK-NEXT: temu --trace-format = s: spike
CHECK-NEXT: temu --trace-format =: json riscv-dv rvvi spike text ttrace
CHECK-NEXT: tld -gc: -gc-sections
CHECK-NEXT: tld --gc: --gc-sections
CHECK-NEXT: tdiff --elf completions.: completions.py
CHECK-NEXT: tasm completions.: completions.py
CHECK-NEXT: tasm -I Inp: Inputs
CHECK: fish: {{7 tools|not installed}}
CHECK: zsh: {{7 tools|not installed}}
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = {os.path.basename(tool): tool for tool in sys.argv[1:]}


def run(*command):
    result = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=HERE, check=False)
    if result.returncode or result.stderr:
        print(*command[:1], result.stderr)
    return result.stdout


def listed(tool):
    """The long options of --help, without dashes."""
    return set(re.findall(r"^  (?:-., )?--?([A-Za-z][\w-]+)", run(tool, "--help"), re.M))


def bash(directory, words):
    """What bash completes to the last of the words."""
    return run("bash", "-c", 'compopt() { :; }; source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1" "$1"; printf "%s\\n" "${COMPREPLY[@]}"',
               os.path.join(directory, words[0] + ".bash"), *words).split()


def zsh(directory, tool, word, expected):
    """Completes the word in zsh, which has to show what is expected."""
    run("zsh", "-f", "-c", f"""
zmodload zsh/zpty
zpty shell 'cd {HERE}; zsh -f -i'
zpty -w shell 'fpath=({directory} $fpath); autoload -Uz compinit; compinit -u -D; bindkey "^I" complete-word; print -n READ; print Y'
zpty -r shell line '*READY*'
zpty -n -w shell '{tool} {word}'$'\\t'
zpty -r shell line '*{tool} {expected}*'
""")


with tempfile.TemporaryDirectory() as directory:
    for name, tool in TOOLS.items():
        for shell, file in ("bash", f"{name}.bash"), ("zsh", f"_{name}"), ("fish", f"{name}.fish"):
            with open(os.path.join(directory, file), "w", encoding="utf-8") as script:
                script.write(run(tool, "--completion=" + shell))
    for name, tool in TOOLS.items():
        run("bash", "-n", os.path.join(directory, name + ".bash"))
        offered = {word.strip("-=") for word in bash(directory, [name, "--"])}
        if not listed(tool) or listed(tool) - offered:
            print(name, "bash lacks", listed(tool) - offered)
    print(f"bash: {len(TOOLS)} tools")
    for words in (["temu", "--trace-fo"], ["temu", "--trace-format", "=", "s"], ["temu", "--trace-format", "="], ["tld", "-gc"], ["tld", "--gc"],
                  ["tdiff", "--elf", "completions."], ["tasm", "completions."], ["tasm", "-I", "Inp"]):
        print(" ".join(words) + ":", *sorted(bash(directory, words)))
    if shutil.which("fish"):
        for name, tool in TOOLS.items():
            file = os.path.join(directory, name + ".fish")
            offered = run("fish", "-N", "-c", f"source {file}; complete -C '{name} --'")
            missing = listed(tool) - {word.strip("-=") for line in offered.splitlines() for word in line.split("\t")[:1]}
            if missing:
                print(name, "fish lacks", missing)
        spike = run("fish", "-N", "-c", f"source {directory}/temu.fish; complete -C 'temu --trace-format=s'")
        if spike.split()[:1] != ["--trace-format=spike"]:
            print("fish completes", spike)
        print(f"fish: {len(TOOLS)} tools")
    else:
        print("fish: not installed")
    if shutil.which("zsh"):
        for name in TOOLS:
            run("zsh", "-n", os.path.join(directory, "_" + name))
        for word, expected in ("temu --trace-form", "--trace-format"), ("tld --print-mem", "--print-memory-usage"), ("tdiff --conte", "--context"):
            zsh(directory, *word.split(), expected)
        print(f"zsh: {len(TOOLS)} tools")
    else:
        print("zsh: not installed")
