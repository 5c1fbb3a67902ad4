# Prints many lines with .loc, most of them as gcc writes them.
import random

random.seed(3)
print('\t.file 1 "first.c"\n\t.file 2 "second.c"\n\t.text')
for _ in range(600):
    line = f"\t.loc {random.choice((1, 2))} {random.randrange(3000)}"
    if random.random() < 0.7:
        line += f" {random.randrange(90)}"
    words = [f"is_stmt {random.choice((0, 1))}", f"discriminator {random.randrange(300)}", "prologue_end", "view -0", "isa 0"]
    for word in random.choices(words, weights=(30, 10, 2, 2, 2), k=random.choice((0, 0, 0, 1, 2))):
        line += random.choice((" ", " ", "  ")) + word
    print(line + random.choice(("", "", "", "  ", " # a comment", "; nop")))
    print("\tnop\n" * random.choice((0, 1, 1, 2)), end="")
    if random.random() < 0.1:
        print(random.choice(("\t.text", '\t.section .text.other,"ax"', "\t.data")))
print("\t.text\n\t.loc 2 77 1\n\tnop")
