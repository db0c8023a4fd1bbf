"""Parquet files have the figures of the same CSV file, or are refused."""

import base64

import numpy as np
import pandas
import pytest

import cachereplay
from conftest import without_rates

pyarrow = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def table(columns):
    """The columns of Pelikan's cachesim."""
    names = {"timestamp": "time", "obj_id": "key", "obj_size": "size"}
    frame = {name: pyarrow.array(columns[column]) for name, column in names.items()}
    rows = len(columns["key"])
    return pyarrow.table(frame | {"next_access_vtime": pyarrow.array([-1] * rows), "op": pyarrow.array(["get"] * rows),
                                  "ttl": pyarrow.array([0] * rows)})


@pytest.fixture(scope="module")
def expected(csv_file, printed):
    return printed("simulate", csv_file, "--policy", "lru,sieve", "--capacity", "1%,20KB", "--warmup", "100s")


def kinds(table):
    def changed(name, values):
        return table.set_column(table.schema.names.index(name), name, values)

    time, key, size = (table.column(name) for name in ["timestamp", "obj_id", "obj_size"])
    texts = pyarrow.array([f"k{value}" for value in key.to_pylist()])
    return {
        "whole numbers": table,
        "unsigned, 32 bits": changed("timestamp", time.cast("uint32")).cast(pyarrow.schema(
            [field.with_type(pyarrow.uint32()) if field.name == "timestamp" else field for field in table.schema])),
        "texts": changed("obj_id", texts),
        "dictionary": changed("obj_id", texts.dictionary_encode()),
        "timestamps": changed("timestamp", pyarrow.array(np.array(time) * 1_000_000).cast(pyarrow.timestamp("us"))),
        "floats": changed("timestamp", time.cast("float64")),
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["whole numbers", "unsigned, 32 bits", "texts", "dictionary", "timestamps", "floats"])
@pytest.mark.parametrize("rows", [100_000, 700])
def test_a_file_has_the_figures_of_the_csv_file(kind, rows, table, expected, tmp_path):
    path = tmp_path / "requests.parquet"
    pq.write_table(kinds(table)[kind], path, row_group_size=rows)
    found = cachereplay.simulate(path, "lru,sieve", "1%,20KB", warmup="100s")
    assert without_rates(found.json) == expected
    assert len(cachereplay.parquet.read(path)) == 5000


def test_threads_read_small_row_groups(table, expected, tmp_path):
    path = tmp_path / "requests.parquet"
    pq.write_table(table, path, row_group_size=37)
    for _ in range(20):
        found = cachereplay.simulate(path, "lru,sieve", "1%,20KB", warmup="100s")
        assert without_rates(found.json) == expected


def test_a_missing_column(table, tmp_path):
    for column, what in [("timestamp", "time"), ("obj_id", "key"), ("obj_size", "size")]:
        path = tmp_path / f"{what}.parquet"
        pq.write_table(table.drop_columns([column]), path)
        with pytest.raises(cachereplay.BadDataError) as raised:
            cachereplay.simulate(path, "lru", "20KB")
        assert str(raised.value).startswith(f"{path}: no column has the name of a {what} (")
        assert f"; pass {what}_column with one of: " in str(raised.value)


def test_columns_are_named(table, expected, tmp_path):
    path = tmp_path / "requests.parquet"
    pq.write_table(table.rename_columns(["when", "what", "weight", "n", "op", "ttl"]), path)
    names = {"time_column": "when", "key_column": "what", "size_column": "weight"}
    assert without_rates(cachereplay.simulate(path, "lru,sieve", "1%,20KB", warmup="100s", **names).json) == expected


def test_nested_types(table, tmp_path):
    for number, kind in enumerate([pyarrow.list_(pyarrow.int64()), pyarrow.struct([("a", pyarrow.int64())])]):
        values = [[1]] * 5000 if number == 0 else [{"a": 1}] * 5000
        path = tmp_path / "nested.parquet"
        pq.write_table(table.set_column(1, "obj_id", pyarrow.array(values, kind)), path)
        with pytest.raises(cachereplay.BadDataError, match="the column obj_id has the nested type (list|struct)<"):
            cachereplay.simulate(path, "lru", "20KB")
        frame = pq.read_table(path)
        with pytest.raises(cachereplay.BadDataError, match="has the nested type (list|struct)<"):
            cachereplay.simulate(frame, "lru", "20KB")


@pytest.mark.parametrize("footer", [True, False])
def test_encrypted_files(table, footer, tmp_path):
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def wrap_key(self, key, name):
            return base64.b64encode(key)

        def unwrap_key(self, key, name):
            return base64.b64decode(key)

    settings = encryption.EncryptionConfiguration(
        footer_key="f", column_keys={"c": table.schema.names}, plaintext_footer=not footer)
    factory = encryption.CryptoFactory(lambda configuration: Keys())
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), settings)
    path = tmp_path / "secret.parquet"
    with pq.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    with pytest.raises(cachereplay.BadDataError, match="secret.parquet: is encrypted. Decrypt it with pyarrow"):
        cachereplay.simulate(path, "lru", "20KB")


def test_files_that_are_not_parquet(tmp_path):
    path = tmp_path / "text.parquet"
    path.write_text("time,key,size\n1,2,3\n")
    with pytest.raises(cachereplay.BadDataError, match="text.parquet: cannot be read as Parquet: "):
        cachereplay.simulate(path, "lru", "20KB")
    with pytest.raises(cachereplay.NoInputError, match="nowhere.parquet: no such file"):
        cachereplay.simulate(tmp_path / "nowhere.parquet", "lru", "20KB")


def test_a_damaged_file(table, tmp_path):
    path = tmp_path / "requests.parquet"
    pq.write_table(table, path)
    data = bytearray(path.read_bytes())
    data[10:2000] = bytes(1990)
    path.write_bytes(data)
    with pytest.raises(cachereplay.BadDataError, match="requests.parquet"):
        cachereplay.simulate(path, "lru", "20KB")


def test_wrong_values_have_the_sentences_of_the_command(table, sentence, tmp_path):
    path = tmp_path / "requests.parquet"

    def refused(time, size):
        frame = {"timestamp": time, "obj_id": [5, 6], "obj_size": size}
        pq.write_table(pyarrow.table(frame), path)
        with pytest.raises(cachereplay.BadDataError) as raised:
            cachereplay.simulate(path, "lru", "100B")
        return str(raised.value)

    assert refused([0, 1], [10, -3]) == sentence("time,key,size\n0,5,10\n1,6,-3\n")
    assert refused([0, -1], [10, 3]) == sentence("time,key,size\n0,5,10\n-1,6,3\n")
    assert refused([1, 0], [10, 3]).startswith("requests: the times of 1 requests are before that of a preceding")


def test_operations_are_chosen(table, columns, tmp_path):
    ops = pyarrow.array(["set" if row % 3 == 0 else "get" for row in range(5000)])
    path = tmp_path / "requests.parquet"
    pq.write_table(table.set_column(4, "op", ops), path)
    gets = pandas.DataFrame(columns)[[row % 3 != 0 for row in range(5000)]]
    found = cachereplay.simulate(cachereplay.parquet.read(path, ops=["get"]), "lru", "20KB")
    assert without_rates(found.json) == without_rates(cachereplay.simulate(gets, "lru", "20KB").json)
    pq.write_table(table.drop_columns(["op"]), path)
    with pytest.raises(cachereplay.BadDataError, match="there is no column 'op'; leave ops out"):
        cachereplay.parquet.read(path, ops=["get"])
