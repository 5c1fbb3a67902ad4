"""-march accepts the same names of extensions as GNU as, and the object lists the same ones, in the same order. Names that only a later version than 2.40 knows are
compared with that one where it is installed; they are accepted anyway.

RUN: %python %s %tasm %gas %greadelf %t | FileCheck %s
CHECK: {{[0-9]+}} architectures, {{[0-9]+}} of them unknown to GNU as, 0 different
"""
import re
import subprocess
import sys

NAMES = """m a f d q c v h zicsr zifencei zmmul zicbom zicbop zicboz zihintpause zawrs ztso zba zbb zbc zbs zbkb zbkc zbkx zk zkn zknd zkne
zknh zkr zks zksed zksh zkt smaia smepmp smstateen ssaia sscofpmf ssstateen sstc svinval svnapot svpbmt zba2p1 zbb3 svinval12p34 xother1p0""".split()
ALONE = "rv64ic_zfinx rv64ic_zdinx rv64ic_zqinx rv64ic_zhinx rv64ic_zhinxmin rv64i_zve32x rv64i_zve64x".split()
LATER = ("zic64b ziccamoa ziccif zicclsm ziccrse zicfilp zicfiss za64rs za128rs zaamo zabha zacas zalrsc zcmp zcmt zvbb zvbc zvkb zvkg zvkn "
         "zvknc zvkned zvkng zvknha zvknhb zvks zvksc zvksed zvksg zvksh zvkt shcounterenw shgatpa shtvala shvsatpa shvstvala shvstvecd "
         "smcntrpmf smcsrind smctr smdbltrp smrnmi ssccptr sscounterenw sscsrind ssctr ssdbltrp sstvala sstvecd ssu64xl svade svadu svbare "
         "zca zcb zicond zihintntl zimop zcmop").split()
LATER_FLOATS = "zfbfmin zvfbfmin zvfh zvfhmin zfa".split()
WITH_FLOATS = "zfh zfhmin zve32f zve64f zve64d".split() + [f"v_zvl{32 << i}b" for i in range(12)]
ORDERS = "rv64imafdc rv64gc_svinval_zbb_zba_xb1p0_xa1p0_zicsr rv64g2p0_c2p0 rv64gc__zba rv64i2p1m2p0a2p1c2p0_zicsr2p0 rv64gczbazbb".split()


def describe(assemble, readelf, name):
    """Flags and attributes of an object; None where the architecture is refused."""
    if subprocess.run(assemble + ["-o", name, "/dev/null"], capture_output=True).returncode:
        return None
    text = subprocess.run([readelf, "-hA", name], capture_output=True, text=True, check=True).stdout
    # Later versions of GNU as know the ratified version of ztso, and that zve32x has CSRs.
    text = text.replace("ztso1p0", "ztso0p1").replace("rv64i2p1_zicsr2p0_zve32x", "rv64i2p1_zve32x")
    return re.findall(r"Flags: .*|Tag_RISCV_arch: .*", text)


def main():
    tasm, gas, readelf, name = sys.argv[1:]
    strings = [f"rv64{base}_{extension}" for extension in NAMES for base in ("i", "gc")] + ORDERS + ALONE
    strings = [s for s in strings if s not in ("rv64i_f", "rv64i_q", "rv64gc_q")] + [f"rv64gc_{extension}" for extension in WITH_FLOATS]
    later = ["rv64gcb"] + [f"rv64i_{extension}" for extension in LATER] + [f"rv64gc_{extension}" for extension in LATER_FLOATS]
    unknown = different = 0
    for string in strings + later:
        ours = describe([tasm, "-march=" + string], readelf, name)
        theirs = describe([gas, "-misa-spec=20191213", "-march=" + string], readelf, name)
        if ours and not theirs and string in later:
            unknown += 1
        elif ours != theirs:
            different += 1
            print(f"{string}: ours {ours}, GNU as {theirs}")
    print(f"{len(strings + later)} architectures, {unknown} of them unknown to GNU as, {different} different")


main()
