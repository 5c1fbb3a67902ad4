# Errors in .file and .loc, each at its place.
.loc 1 1
# CHECK: 2:6: error: file number 1 has no name; expected '.file 1 "NAME"' before it
.file 1
# CHECK: 4:7: error: argument 1 of '.file': expected a string in quotes
.file 1 "a.c" "b.c" "c.c"
# CHECK: 6:7: error: expected '.file NUMBER "NAME"' or
.file 70000 "a.c"
# CHECK: 8:7: error: file number 70000 is out of range; expected 0..65536
.file 1 "a.c"
.file 1 "b.c"
# CHECK: 11:7: error: file number 1 is already the number of 'a.c'
.loc 1
# CHECK: 13:7: error: '.loc': expected a line
.loc 1 -5
# CHECK: 15:6: error: '.loc': {{.*}} is -4; expected 0..
.loc 1 5 6 nonsense 3
# CHECK: 17:12: error: '.loc': expected basic_block, prologue_end
.loc 1 5 6 is_stmt 2
# CHECK: 19:20: error: '.loc': 'is_stmt' is 2; expected 0..1
.loc 1 5 6 discriminator
# CHECK: 21:25: error: '.loc': expected 'discriminator'
.loc 1 5 6 view 3
# CHECK: 23:17: error: '.loc': expected the name of a view or 0
.loc 1 5 6 view f f: .loc
# CHECK: 25:{{.*}}: error: '.loc': expected basic_block
.loc unknown 5
# CHECK: 27:6: error: the number of a file must be a number known here
