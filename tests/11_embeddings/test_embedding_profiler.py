"""EmbeddingProfiler: counts, bytes and derived figures by hand; times only by what must hold of them."""
import time

import numpy as np
import pytest

from tinytorch.core.embeddings import (
    Embedding,
    EmbeddingLayer,
    EmbeddingProfiler,
    LearnedPositionalEmbedding,
    PositionalEncoding,
    analyze_embedding_system_design,
    timed,
)

parametrize = pytest.mark.parametrize
LOOKUP_KEYS = {"batch_size", "seq_length", "total_tokens", "lookup_time_ms", "lookup_time_iqr_ms",
               "tokens_per_second", "time_per_token_us", "input_memory_mb", "output_memory_mb",
               "memory_bandwidth_mb_s"}
MODEL_KEYS = {"name", "vocab_size", "embedding_dim", "parameters", "memory_mb", "share_of_model"}


class Spy:
    """A layer that counts its calls; the first takes 50 ms, and notes the ids it saw."""

    def __init__(self, layer):
        self.layer, self.vocab_size, self.seen = layer, layer.vocab_size, []

    def __call__(self, ids):
        if not self.seen:
            time.sleep(0.05)
        self.seen.append(ids)
        return self.layer(ids)


# ----------------------------------------------------------------------------------------------- lookups
def test_lookup_by_hand():
    profiler = EmbeddingProfiler(repeats=5)
    results = profiler.measure_lookup_performance(Embedding(10, 4), [2, 5], [3], verbose=False)
    assert list(results) == ["batch_2_seq_3", "batch_5_seq_3"]
    row = results["batch_2_seq_3"]
    assert set(row) == LOOKUP_KEYS
    assert (row["batch_size"], row["seq_length"], row["total_tokens"]) == (2, 3, 6)
    assert row["input_memory_mb"] == 6 * 8 / 2**20
    assert row["output_memory_mb"] == 6 * 4 * 4 / 2**20
    seconds = row["lookup_time_ms"] / 1000
    assert row["tokens_per_second"] == pytest.approx(6 / seconds)
    assert row["time_per_token_us"] == pytest.approx(1e6 * seconds / 6)
    assert row["memory_bandwidth_mb_s"] == pytest.approx((6 * 8 + 6 * 4 * 4) / 2**20 / seconds)
    assert results["batch_5_seq_3"]["total_tokens"] == 15
    assert profiler.results == {"measure_lookup_performance": results}


@parametrize("dtype, size", [(np.float16, 2), (np.float64, 8)], ids=["float16", "float64"])
def test_output_memory_is_that_of_the_real_dtype(dtype, size):
    layer = Embedding(9, 4, dtype=dtype)
    row = EmbeddingProfiler(2).measure_lookup_performance(layer, [3], [5], verbose=False)
    assert row["batch_3_seq_5"]["output_memory_mb"] == 15 * 4 * size / 2**20


def test_the_median_of_warmed_up_calls():
    """The slow first call leaves no trace; every call has the announced shape and ids of the table."""
    spy = Spy(Embedding(7, 3))
    start = time.perf_counter()
    results = EmbeddingProfiler(repeats=11).measure_lookup_performance(spy, [2], [5], verbose=False)
    row = results["batch_2_seq_5"]
    wall = 1000 * (time.perf_counter() - start)
    assert 0 < row["lookup_time_ms"] < 40 < wall
    assert 0 <= row["lookup_time_iqr_ms"] < wall
    assert len(spy.seen) >= 12
    for ids in spy.seen:
        assert ids.shape == (2, 5)
        assert 0 <= ids.min() and ids.max() < 7


def test_a_complete_layer():
    layer = EmbeddingLayer(6, 4, max_seq_len=8)
    row = EmbeddingProfiler(2).measure_lookup_performance(layer, [2], [8], verbose=False)
    assert row["batch_2_seq_8"]["output_memory_mb"] == 16 * 4 * 4 / 2**20


def test_the_layer_keeps_its_weights_and_gradient():
    layer = Embedding(6, 4)
    layer([1, 2]).sum().backward()
    weight, grad = layer.weight.data.copy(), layer.weight.grad.data.copy()
    EmbeddingProfiler(2).measure_lookup_performance(layer, [2], [3], verbose=False)
    assert (layer.weight.data == weight).all()
    assert (layer.weight.grad.data == grad).all()


# ------------------------------------------------------------------------------------------------ memory
def test_memory_by_hand():
    profiler = EmbeddingProfiler(repeats=2)
    results = profiler.analyze_memory_scaling([1000, 3000], [16], verbose=False)
    assert list(results) == ["vocab_1000_dim_16", "vocab_3000_dim_16"]
    row = results["vocab_3000_dim_16"]
    assert (row["vocab_size"], row["embedding_dim"], row["total_parameters"]) == (3000, 16, 48_000)
    assert row["memory_mb"] == 48_000 * 4 / 2**20
    assert row["lookup_time_ms"] > 0
    assert row["lookup_time_iqr_ms"] >= 0
    assert profiler.results["analyze_memory_scaling"] is results


def test_a_table_that_no_machine_holds(capsys, monkeypatch):
    """10 PB: the memory is computed, and the time is that of a smaller table, which is said."""
    monkeypatch.setattr(EmbeddingProfiler, "TIMED_AT_MOST_MB", 1)
    results = EmbeddingProfiler(2).analyze_memory_scaling([10**13], [256])
    assert results["vocab_10000000000000_dim_256"]["memory_mb"] == 10**13 * 256 * 4 / 2**20
    assert "timed on their first 1 MB" in capsys.readouterr().out


# --------------------------------------------------------------------------------------------- positions
def test_positions_by_hand():
    profiler = EmbeddingProfiler(repeats=3)
    results = profiler.compare_positional_encodings(seq_length=7, embedding_dim=5, verbose=False)
    assert list(results) == ["sinusoidal", "learned"]
    for row in results.values():
        assert row["memory_usage_mb"] == 7 * 5 * 4 / 2**20
        assert row["computation_time_ms"] > 0
    assert [row["parameters"] for row in results.values()] == [0, 35]
    assert [row["deterministic"] for row in results.values()] == [True, False]
    assert [row["extrapolation"] for row in results.values()] == [True, False]
    assert profiler.results["compare_positional_encodings"] is results


# -------------------------------------------------------------------------------------------- all methods
def all_methods(profiler, **options):
    profiler.measure_lookup_performance(Embedding(5, 2), [1, 2], [3], **options)
    profiler.analyze_memory_scaling([4, 5], [2], **options)
    profiler.compare_positional_encodings(4, 2, **options)


def test_tables_are_printed_unless_told(capsys):
    profiler = EmbeddingProfiler(repeats=1)
    all_methods(profiler)
    text = capsys.readouterr().out
    for results in profiler.results.values():
        for name, row in results.items():
            assert name in text
            assert all(column in text for column in row)
    all_methods(profiler, verbose=False)
    assert capsys.readouterr().out == ""


def test_many_columns_are_printed_in_blocks(capsys):
    EmbeddingProfiler(1).measure_lookup_performance(Embedding(5, 2), range(1, 12), [1])
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) < 120
    assert all(f" batch_{b}_seq_1" in text for b in range(1, 12))


def test_long_names_keep_their_space(capsys):
    EmbeddingProfiler(1).analyze_memory_scaling([10**9, 10**10], [16])
    assert " vocab_1000000000_dim_16 vocab_10000000000_dim_16\n" in capsys.readouterr().out


def test_progress_wraps_what_is_measured():
    seen = []

    def bar(items):
        for item in items:
            seen.append((item, len(items)))
            yield item

    all_methods(EmbeddingProfiler(repeats=1), verbose=False, progress=bar)
    assert seen == [((1, 3), 2), ((2, 3), 2), ((4, 2), 2), ((5, 2), 2), ("sinusoidal", 2), ("learned", 2)]


def test_results_hold_the_latest():
    profiler = EmbeddingProfiler(repeats=1)
    assert profiler.results == {}
    profiler.compare_positional_encodings(3, 2, verbose=False)
    profiler.compare_positional_encodings(4, 2, verbose=False)
    assert profiler.results["compare_positional_encodings"]["learned"]["parameters"] == 8
    assert EmbeddingProfiler().results == {}


def test_nothing_to_measure(capsys):
    profiler = EmbeddingProfiler(repeats=1)
    assert profiler.measure_lookup_performance(Embedding(5, 2), [], [3]) == {}
    assert profiler.analyze_memory_scaling([3], []) == {}


@parametrize("sizes, error, named", [
    (([0], [3]), ValueError, "batch_size"), (([2], [-1]), ValueError, "seq_length"),
    (([2, 1.5], [3]), TypeError, "batch_size"), (([2], ["3"]), TypeError, "seq_length")], ids=str)
def test_sizes_that_can_not_be_measured(sizes, error, named):
    with pytest.raises(error, match=named):
        EmbeddingProfiler(1).measure_lookup_performance(Embedding(5, 2), *sizes)
    names = {"batch_size": "vocab_size", "seq_length": "embedding_dim"}
    with pytest.raises(error, match=names[named]):
        EmbeddingProfiler(1).analyze_memory_scaling(*sizes)


def test_a_table_without_rows_has_no_lookup():
    with pytest.raises(ValueError, match="vocab_size"):
        EmbeddingProfiler(1).measure_lookup_performance(Embedding(0, 2), [1], [3])


@parametrize("layer", [PositionalEncoding(2, 3), LearnedPositionalEmbedding(3, 2), None, len], ids=str)
def test_a_layer_without_tokens_has_no_lookup(layer):
    with pytest.raises(TypeError, match="the layer's vocab_size"):
        EmbeddingProfiler(1).measure_lookup_performance(layer, [1], [3])


def test_a_row_that_is_too_wide_to_time(monkeypatch):
    monkeypatch.setattr(EmbeddingProfiler, "TIMED_AT_MOST_MB", 1)
    with pytest.raises(ValueError, match="embedding_dim 262145: one row is over 1 MB"):
        EmbeddingProfiler(1).analyze_memory_scaling([3], [2**18 + 1])


@parametrize("sizes, error", [((0, 4), ValueError), ((4, -1), ValueError), ((1.5, 4), TypeError)], ids=str)
def test_positions_that_can_not_be_measured(sizes, error):
    with pytest.raises(error, match="max_seq_length|embedding_dim"):
        EmbeddingProfiler(1).compare_positional_encodings(*sizes)


def test_sizes_may_be_arrays_and_iterators():
    profiler = EmbeddingProfiler(1)
    sizes = np.array([1, 2]), (length for length in (3, 4))
    results = profiler.measure_lookup_performance(Embedding(5, 2), *sizes, verbose=False)
    assert list(results) == ["batch_1_seq_3", "batch_1_seq_4", "batch_2_seq_3", "batch_2_seq_4"]
    assert type(results["batch_2_seq_4"]["total_tokens"]) is int


@parametrize("repeats, error", [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("3", TypeError)],
             ids=str)
def test_repeats(repeats, error):
    with pytest.raises(error, match="repeats"):
        EmbeddingProfiler(repeats)
    assert repr(EmbeddingProfiler(7)) == "EmbeddingProfiler(repeats=7)"


def test_timed_takes_the_median():
    """One call in four is slow: the mean would show it."""
    calls = []

    def action():
        calls.append(0)
        if len(calls) % 4 == 0:
            time.sleep(0.02)

    median, spread = timed(action, repeats=16)
    assert len(calls) == 19
    assert 0 < median < 4
    assert spread >= 0


# ------------------------------------------------------------------------------------------ published models
def test_published_models(capsys):
    rows = analyze_embedding_system_design()
    by_name = {row["name"]: row for row in rows}
    small, large = by_name["GPT-2 small"], by_name["GPT-3"]
    assert small["parameters"] == 38_597_376
    assert small["memory_mb"] == pytest.approx(147.24, abs=0.01)
    assert small["share_of_model"] == pytest.approx(0.31, abs=0.001)
    assert large["parameters"] == 617_558_016
    assert large["memory_mb"] * 2**20 == pytest.approx(2.47e9, rel=1e-3)
    assert large["share_of_model"] == pytest.approx(0.0035, abs=0.0001)
    for row in rows:
        assert set(row) == MODEL_KEYS
        assert row["parameters"] == row["vocab_size"] * row["embedding_dim"]
    text = capsys.readouterr().out
    assert all(row["name"] in text for row in rows)
    assert "0.35%" in text


# ------------------------------------------------------------------------------------ visualize_encoding
def test_visualize_encoding_prints_and_draws(capsys):
    figure = PositionalEncoding(6, 20).visualize_encoding(seq_length=12, dims_to_show=4)
    text = capsys.readouterr().out.splitlines()
    assert text[0].split() == ["position", "col", "0", "col", "1", "col", "2", "col", "3"]
    assert [float(x) for x in text[2].split()] == [1, 0.841, 0.540, 0.046, 0.999]
    heat = figure.axes[0].images[0].get_array()
    assert heat.shape == (12, 4)
    assert heat[1, 0] == pytest.approx(0.841471, abs=1e-6)
    for axes in figure.axes[:2]:
        assert axes.get_xlabel() and axes.get_ylabel() and axes.get_title()


def test_visualize_encoding_shows_what_there_is(capsys):
    figure = PositionalEncoding(3, 5).visualize_encoding()
    assert figure.axes[0].images[0].get_array().shape == (5, 3)


def test_visualize_encoding_without_matplotlib(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    assert PositionalEncoding(3, 5).visualize_encoding() is None
    assert "position" in capsys.readouterr().out


@parametrize("wrong", [{"seq_length": 0}, {"dims_to_show": 0}, {"seq_length": -3}, {"dims_to_show": 1.5}],
             ids=str)
def test_visualize_encoding_refuses(wrong):
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):
        PositionalEncoding(3, 5).visualize_encoding(**wrong)
