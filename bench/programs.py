#!/usr/bin/env python3
"""programs.py --build DIR [NAME...]: builds programs of others for the machine, from Debian's source packages, into DIR/bench/programs.

Nothing of these programs is in this tree. apt-get downloads their original sources (`apt-get source`), checks their signatures, and uses lists of its own, so
neither the configuration of the host nor its release of Debian matters. A program is built once. One that cannot be downloaded or built is named with the
reason, and the bench leaves it out.
"""

import argparse
import dataclasses
import glob
import os
import shutil
import subprocess
import sys

MIRROR = "http://deb.debian.org/debian"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


@dataclasses.dataclass
class Program:
    """A source package of a release of Debian, and the commands of a shell that make `$OUT` from it. They run in the directory of the source. $CC and $CXX compile for
    the machine and link statically; $HOSTCC compiles tools that the build runs."""
    package: str
    release: str
    commands: str


PROGRAMS = {
    "lua": Program("lua5.4", "bookworm", """
        rm -f src/luac.c
        $CC -DLUA_USE_POSIX -o $OUT src/*.c -lm"""),
    "zstd": Program("libzstd", "bookworm", """
        $CC -DXXH_NAMESPACE=ZSTD_ -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -Ilib -Ilib/common -o $OUT \
            lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c"""),
    "bzip2": Program("bzip2", "bookworm", """
        $CC -o $OUT blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c"""),
    "sqlite": Program("sqlite3", "bookworm", """
        ./configure --disable-readline CC="$HOSTCC"
        make sqlite3.c shell.c
        $CC -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -o $OUT sqlite3.c shell.c -lm"""),
    "quickjs": Program("quickjs", "trixie", """
        echo 'const unsigned char qjsc_repl[1]; const unsigned qjsc_repl_size = 0;' >repl.c
        $CC -D_GNU_SOURCE -DCONFIG_VERSION='"bench"' -fwrapv -o $OUT quickjs.c quickjs-libc.c qjs.c repl.c cutils.c dtoa.c libregexp.c libunicode.c -lm -latomic"""),
    "awk": Program("original-awk", "bookworm", """
        bison -d -b awkgram awkgram.y
        $HOSTCC -o maketab maketab.c
        ./maketab awkgram.tab.h >proctab.c
        $CC -o $OUT b.c lex.c lib.c main.c parse.c proctab.c run.c tran.c awkgram.tab.c -lm"""),
    "busybox": Program("busybox", "bookworm", """
        make allnoconfig
        for word in STATIC ASH ASH_INTERNAL_GLOB ASH_TEST ASH_ECHO FEATURE_SH_MATH AWK BC FEATURE_BC_INTERACTIVE GREP GZIP FEATURE_GZIP_LEVELS MD5SUM SED SHA256SUM SORT \
            FEATURE_SORT_BIG TR UNIQ WC DIFF FACTOR XXD; do
            sed -i "s/^# CONFIG_$word is not set/CONFIG_$word=y/" .config
        done
        yes '' | make oldconfig
        make -j2 CROSS_COMPILE=riscv64-linux-gnu- busybox_unstripped
        cp busybox_unstripped $OUT"""),
    "brotli": Program("brotli", "bookworm", "$CC -Ic/include -o $OUT c/common/*.c c/enc/*.c c/dec/*.c c/tools/brotli.c -lm"),
    "lz4": Program("lz4", "bookworm", "$CC -Ilib -DXXH_NAMESPACE=LZ4_ -o $OUT lib/*.c programs/*.c"),
    "mujs": Program("mujs", "bookworm", "$CC -o $OUT one.c main.c -lm"),
    "kissfft": Program("kissfft", "bookworm", """
        $CC -Dkiss_fft_scalar=double -I. -o $OUT kiss_fft.c kiss_fftnd.c kiss_fftr.c kiss_fftndr.c kfc.c tools/fftutil.c -lm"""),
    "svm": Program("libsvm", "bookworm", "$CXX -o $OUT svm.cpp svm-train.c -lm"),
    "lame": Program("lame", "bookworm", """
        ./configure --host=riscv64-linux-gnu --disable-decoder --disable-shared CC="$CC"
        make -j2 LDFLAGS=-all-static
        cp frontend/lame $OUT"""),
}


class Failed(Exception):
    """The source of a program cannot be downloaded, or it cannot be built."""


def run(command, directory, **environment):
    """Runs a command whose output is in DIRECTORY/log. Raises Failed with the end of the output."""
    log = os.path.join(directory, "log")
    with open(log, "a", encoding="utf-8") as file:
        status = subprocess.run(command, cwd=directory if "SOURCE" not in environment else environment["SOURCE"], env={**os.environ, **environment},
                                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, check=False).returncode
    if status:
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        raise Failed(f"'{command[0]}' failed ({log}): {lines[-1][:200] if lines else 'no output'}")


class Sources:
    """Downloads sources with lists of packages that are our own."""

    def __init__(self, directory):
        self.directory = directory
        self.options = []

    def update(self):
        """Reads the lists of packages; once."""
        if self.options:
            return
        if not shutil.which("apt-get") or not os.path.exists(KEYRING):
            raise Failed("apt-get and debian-archive-keyring, which fetch the source, are not on this host")
        for name in ("lists/partial", "archives/partial"):
            os.makedirs(os.path.join(self.directory, name), exist_ok=True)
        with open(os.path.join(self.directory, "sources.list"), "w", encoding="utf-8") as file:
            for release in sorted({program.release for program in PROGRAMS.values()}):
                file.write(f"deb-src [signed-by={KEYRING}] {MIRROR} {release} main\n")
        settings = {"Dir::Etc::SourceList": "sources.list", "Dir::State::Lists": "lists", "Dir::Cache": ".", "Dir::Cache::archives": "archives"}
        options = [f"-o{key}={os.path.join(self.directory, name)}" for key, name in settings.items()] + ["-oDir::Etc::SourceParts=/dev/null", "-oAPT::Sandbox::User="]
        run(["apt-get", *options, "--error-on=any", "update"], self.directory)
        self.options = options

    def fetch(self, program, directory):
        """Unpacks the source of the program into the directory."""
        self.update()
        package = os.path.join(directory, "package")
        os.makedirs(package)
        run(["apt-get", *self.options, "source", "--only-source", "--tar-only", "--download-only", f"{program.package}/{program.release}"], package)
        archives = glob.glob(os.path.join(package, "*.orig.tar.*[!c]"))
        if len(archives) != 1:
            raise Failed(f"found {len(archives)} archives of the package '{program.package}', expected one")
        os.mkdir(os.path.join(directory, "source"))
        run(["tar", "-xf", archives[0], "--strip-components=1", "-C", "source"], directory)


def build(name, programs, sources):
    """Makes PROGRAMS/NAME.riscv, unless it is there."""
    program, output = PROGRAMS[name], os.path.join(programs, f"{name}.riscv")
    if os.path.exists(output):
        return
    directory = os.path.join(programs, f"{name}.build")
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    print(f"  BENCH\t{output}", flush=True)
    sources.fetch(program, directory)
    compiler = "{} -O2 -static -w -march=rv64gc -mabi=lp64d"
    run(["sh", "-ec", program.commands], directory, SOURCE=os.path.join(directory, "source"), OUT=os.path.join(directory, "program"), HOSTCC="gcc",
        CC=compiler.format("riscv64-linux-gnu-gcc"), CXX=compiler.format("riscv64-linux-gnu-g++"))
    os.rename(os.path.join(directory, "program"), output)
    shutil.rmtree(directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="directory of the build (default: build)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs to build (default: all): {', '.join(PROGRAMS)}")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in PROGRAMS:
            parser.error(f"found the program '{name}', expected one of: {', '.join(PROGRAMS)}")
    programs = os.path.abspath(os.path.join(arguments.build, "bench", "programs"))
    os.makedirs(programs, exist_ok=True)
    sources = Sources(os.path.join(programs, "apt"))
    for name in arguments.names or PROGRAMS:
        try:
            build(name, programs, sources)
        except (Failed, OSError) as failed:
            print(f"bench: {name} is left out: {failed}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
