"""profiler: `EmbeddingProfiler.measure_lookup_performance` times lookups and counts tokens and bytes.

A time can't be judged by its value: the layer that is measured takes known times and notes what was done."""
import numpy as np

from ..compare import Wrong, expect, same
from ..handles import NoNumbers, call, error_of, given, new, numbers, spy
from ..registry import behaviour

REPEATS, V, D, MB = 25, 11, 3, 2**20
FIRST, PATTERN = 0.06, [0.004, 0.0, 0.002, 0.036, 0.012]    # seconds; of five in a row: median 0.004, iqr 0.01
BARE = [0.0]


def measured(m, batches, lengths, first=0.0, pattern=BARE, repeats=REPEATS):
    """The results of one call, and the layer that it was about."""
    layer = spy(m, "SlowLayer", new(m, "Embedding", V, D), V, first, pattern)
    given(m, f"EmbeddingProfiler({repeats}).measure_lookup_performance(layer, {batches}, {lengths}), "
             f"a table of shape ({V}, {D})")
    profiler = new(m, "EmbeddingProfiler", repeats)
    return call(profiler, "measure_lookup_performance", layer, batches, lengths, verbose=False), layer


def entry(owner, key):
    """What a dict of the code's holds under this key."""
    error = error_of(owner, "__getitem__", key)
    expect(error is None, f"no entry {key!r}", f"an entry {key!r}")
    return call(owner, "__getitem__", key)


def value(results, batch, length, key):
    """The number at results['batch_..'][key]."""
    number = numbers(entry(entry(results, f"batch_{batch}_seq_{length}"), key))
    if isinstance(number, NoNumbers) or number.shape:
        raise Wrong(f"{key}: {getattr(number, 'text', 'an array')}", f"{key}: a number")
    return number


def holds(results, batch, length, key, right, known=()):
    """Fail unless this entry is right."""
    got = value(results, batch, length, key)
    try:
        same(got, right, known=known, close=1e-6 * min(1.0, float(right)))
    except Wrong as wrong:
        raise Wrong(f"{key} {wrong.yours}", f"{key} {wrong.right}", wrong.looks_like) from None


@behaviour("profiler", points=1)
def tokens_are_counted_for_each_pair(m, rng):
    """A batch of B texts of T tokens holds so many tokens. Each pair of B and T gets an entry of its own.

    The name of an entry holds both numbers, the batch first: batch_{B}_seq_{T}.

    B = 2, T = 3: results['batch_2_seq_3'] has batch_size 2, seq_length 3 and total_tokens 6.
    """
    results, _ = measured(m, [3, 2], [5, 7], repeats=2)
    for batch in (3, 2):
        for length in (5, 7):
            holds(results, batch, length, "batch_size", batch,
                  [("when batch and length change places", length)])
            holds(results, batch, length, "seq_length", length,
                  [("when batch and length change places", batch)])
            holds(results, batch, length, "total_tokens", batch * length, [
                ("when batches are counted, not tokens", batch), ("when one text is counted", length),
                ("when batch and length are added", batch + length),
                ("when the width counts, too", batch * length * D)])


@behaviour("profiler", points=1)
def the_time_is_the_median_of_many_lookups(m, rng):
    """The first call is slow and some later ones are disturbed. Which number in a list of times shows
    neither?

    Measure as often as self.repeats says, after some calls that do not count. The unit is milliseconds.

    Times 4, 0, 2, 36, 12 ms, after a first call of 60 ms: the median is 4; the middle half reaches from 2
    to 12, so the iqr is 10; the mean is 10.8; one shot, 60.
    """
    results, layer = measured(m, [2], [5], FIRST, PATTERN)
    given(m, f"EmbeddingProfiler({REPEATS}); a layer whose first call takes 60 ms, then 4, 0, 2, 36 and 12 ms "
             f"in turn")
    reported, noted = float(value(results, 2, 5, "lookup_time_ms")), 1000 * numbers(layer, "seconds")
    expect(noted.size > 0, "the layer was never called", f"{REPEATS} calls and some before")
    expect((numbers(layer, "shapes") == [2, 5]).all(), "ids of another shape", "ids of shape (2, 5)")
    counted = noted[-REPEATS:]                           # what the machine does to the layer is in here, too
    if reported < 4 or abs(reported - np.median(counted)) > abs(reported - counted.mean()):
        raise Wrong(f"lookup_time_ms {reported:.3g}", "about 4 ms", likeness(reported, noted))
    expect(noted.size > REPEATS, f"the layer was called {noted.size} times",
           f"{REPEATS} calls, after some that do not count")
    expect(numbers(layer, "different_ids") > 1, "the same id everywhere", "the ids that are given",
           "when zeros take the place of the ids")
    the_spread_is_right(float(value(results, 2, 5, "lookup_time_iqr_ms")), counted)
    _, layer = measured(m, [2], [5, 3], repeats=4)
    lengths = numbers(layer, "shapes")[:, 1]
    for length in (5, 3):
        calls = int((lengths == length).sum())
        expect(4 < calls < REPEATS, f"{calls} calls with ids of shape (2, {length})",
               "4 calls that count, as self.repeats says, and a few before")


def the_spread_is_right(reported, counted):
    """Fail where another number than the interquartile range is nearer, by more than chance."""
    low, median, high = np.percentile(counted, [25, 50, 75])
    near = {"": high - low, "when it is always 0": 0.0, "when it is the median": median,
            "when it is the standard deviation": counted.std(),
            "when it is the whole range, from the fastest to the slowest": np.ptp(counted)}
    closest = min(near, key=lambda sentence: abs(reported - near[sentence]))
    expect(not closest or abs(reported - near[""]) < 0.5, f"lookup_time_iqr_ms {reported:.3g}",
           f"{high - low:.3g}, the width of the middle half of the times", closest)


def likeness(reported, noted):
    """Which other number the reported time could be."""
    for sentence, wrong in (("when it is in seconds", np.median(noted) / 1000),
                            ("when it is in microseconds", np.median(noted) * 1000),
                            ("when only the first call is timed", noted[0]),
                            ("when all calls are added up", noted[1:].sum()),
                            ("when the mean is taken", noted[-REPEATS:].mean()),
                            ("when the mean is taken, the first call included", noted.mean()),
                            ("when the slowest call is taken", noted[-REPEATS:].max(initial=0.0)),
                            ("when the slowest call is taken", noted[1:].max(initial=0.0)),
                            ("when the upper quartile is taken", np.percentile(noted[-REPEATS:], 75))):
        if 0.8 * wrong < reported < 1.25 * wrong:
            return sentence
    if abs(reported - np.percentile(noted[-REPEATS:], 25)) < 0.5:
        return "when the lower quartile is taken"
    return "when nothing is timed, or the fastest call is taken" if reported < 4 else ""


@behaviour("profiler", points=1)
def memory_is_what_the_arrays_hold(m, rng):
    """nbytes of an array says how many bytes it holds. How many bytes are a MB here?

    The ids are the input; the rows that come out are the output. Both are asked for by themselves.

    6 ids of 8 bytes are 48 bytes: 48 / 2**20 = 0.0000458 MB. 6 rows of 4 numbers of 4 bytes are 96 bytes.
    """
    results, layer = measured(m, [4], [9], repeats=2)
    tokens, read, made = 36, int(numbers(layer, "input_bytes")), int(numbers(layer, "output_bytes"))
    for key, right, other in (("input_memory_mb", read, made), ("output_memory_mb", made, read)):
        holds(results, 4, 9, key, right / MB, [
            ("when a MB has 10**6 bytes", right / 10**6), ("when kB are counted", right / 2**10),
            ("when it is in bytes", right), ("when input and output change places", other / MB),
            ("when input and output are added", (read + made) / MB),
            ("when numbers are counted, not bytes", tokens * (D if key[0] == "o" else 1) / MB),
            ("when the whole table is counted", V * D * 4 / MB)])


@behaviour("profiler", points=1)
def rates_follow_from_time_and_counts(m, rng):
    """Tokens a second, microseconds a token, MB a second: each is one division. Which unit has the time?

    Bandwidth counts what is read and what is written: ids and rows together.

    6 tokens in 2 ms: 3000 tokens a second, 333.3 us a token; 144 bytes in 2 ms: 0.0687 MB a second.
    """
    results, layer = measured(m, [3], [7], 0.01, [0.002], repeats=5)
    ms, tokens = float(value(results, 3, 7, "lookup_time_ms")), 21
    wall = 1000 * numbers(layer, "seconds").sum()
    expect(2 <= ms <= wall, f"lookup_time_ms {ms:.3g}", "2 ms, and not more than all calls together")
    read, made = int(numbers(layer, "input_bytes")), int(numbers(layer, "output_bytes"))
    given(m, f"{tokens} tokens, {read} + {made} bytes, and your lookup_time_ms of {ms:.4g}")
    holds(results, 3, 7, "tokens_per_second", 1000 * tokens / ms, [
        ("when it is tokens a millisecond", tokens / ms), ("when batches are counted, not tokens", 3000 / ms),
        ("when it is lookups a second", 1000 / ms)])
    holds(results, 3, 7, "time_per_token_us", 1000 * ms / tokens, [
        ("when it is in milliseconds", ms / tokens), ("when it is per batch", 1000 * ms / 3),
        ("when it is the time of the whole lookup", 1000 * ms)])
    holds(results, 3, 7, "memory_bandwidth_mb_s", 1000 * (read + made) / MB / ms, [
        ("when the bytes of the ids are forgotten", 1000 * made / MB / ms),
        ("when the bytes of the rows are forgotten", 1000 * read / MB / ms),
        ("when a MB has 10**6 bytes", 1000 * (read + made) / 10**6 / ms),
        ("when it is MB a millisecond", (read + made) / MB / ms)])
