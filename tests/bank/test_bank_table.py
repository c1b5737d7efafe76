"""docs/misconceptions.md and the README say what the bank says."""
from bank_table import PLACE, README, TABLE, sentence, table

REMEDY = "python tests/bank/bank_table.py writes it"


def test_the_table_is_up_to_date():
    assert TABLE.read_text(encoding="utf-8") == table(), REMEDY


def test_the_readme_counts_what_is_there():
    assert PLACE.findall(README.read_text(encoding="utf-8")) == [sentence()], REMEDY
