"""riscv_dv.py CSV JSON: the rows of a trace in the CSV of riscv-dv have the pc, the encoding, and the registers and CSRs of the trace in JSON."""
import csv
import json
import sys

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
with open(sys.argv[2], encoding="utf-8") as file:
    records = [record for record in map(json.loads, file) if "pc" in record and "trap" not in record]
assert len(rows) == len(records), (len(rows), len(records))
for row, record in zip(rows, records):
    assert int(row["pc"], 16) == int(record["pc"], 16) and int(row["binary"], 16) == int(record["encoding"], 16), (row, record)
    for column, key in (("gpr", "register"), ("csr", "csr")):
        written = [tuple(item.split(":")) for item in row[column].split(";") if item]
        expected = [(effect[key], effect["value"]) for effect in record.get("effects", []) if key in effect]
        assert [(name, int(value, 16)) for name, value in written] == [(name, int(value, 16)) for name, value in expected], (row, record)
    assert row["instr_str"] == record["disassembly"] and row["mode"] == "0", (row, record)
print(len(rows), "rows")
