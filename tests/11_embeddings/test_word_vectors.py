"""WordVectors: likeness, neighbours, analogies, scores, sentences, and the map."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytorch.core import vectors
from tinytorch.core.embeddings import Embedding
from tinytorch.core.vectors import WordVectors, best_columns, questions_from, ranks, read_questions, words_of

ROYAL = WordVectors(
    ["king", "man", "woman", "queen", "apple"], [[4, 1], [1, 0], [1, 0.3], [3, 1.8], [-3, 0.5]]
)
ZERO = WordVectors(["a", "z", "b"], [[1, 0], [0, 0], [0, 1]])


@pytest.fixture(scope="module")
def glove():
    return WordVectors.load("glove-6b-50d-10k")


def plain_neighbours(vectors, query, left_out):
    """Neighbours by loops over float64: what the class must agree with."""
    unit = [row / (np.linalg.norm(row) or 1) for row in vectors.table.astype(np.float64)]
    length = np.linalg.norm(query) or 1
    likeness = [
        (-float(row @ query / length), i) for i, row in enumerate(unit) if vectors.words[i] not in left_out
    ]
    return [(vectors.words[i], -minus) for minus, i in sorted(likeness)], unit


# The handed cases --------------------------------------------------------------------------------------

@pytest.mark.parametrize(
    "ask",
    [
        lambda v: v.similarity("zebra", "a"),
        lambda v: v.similarity("a", "zebra"),
        lambda v: v.most_similar("zebra"),
        lambda v: v.most_similar("a", "zebra"),
        lambda v: v.analogy("a", "b", "zebra"),
        lambda v: v.neighbours(["a", "zebra"]),
        lambda v: v["zebra"],
        lambda v: v.search(["a b"], "zebra"),
    ],
)
def test_an_unknown_word_is_a_key_error_that_names_it(ask):
    with pytest.raises(KeyError, match="zebra"):
        ask(ZERO)


def test_an_unknown_word_suggests_near_spellings(glove):
    with pytest.raises(KeyError, match="language"):
        glove.most_similar("langauge")
    with pytest.raises(KeyError, match="'King'.*king"):
        glove.similarity("King", "queen")
    with pytest.raises(KeyError, match="'nasa'; did you mean NASA[?]"):
        WordVectors(["NASA", "ship"], np.eye(2)).similarity("nasa", "ship")


def test_an_analogy_leaves_out_its_own_words():
    answers = ROYAL.analogy("man", "king", "woman", topn=100)
    assert [word for word, _ in answers] == ["queen", "apple"]
    assert answers[0][1] == pytest.approx(0.999767, abs=1e-6)
    assert answers == ROYAL.most_similar(["king", "woman"], ["man"], topn=100)
    assert ROYAL.analogy("man", "king", "woman", topn=0) == []


def test_a_zero_vector_is_like_nothing_and_never_nan():
    assert ZERO.similarity("a", "z") == 0.0 and ZERO.similarity("z", "z") == 0.0
    assert ZERO.most_similar("a") == [("z", 0.0), ("b", 0.0)]       # equals in the table's order
    assert ZERO.most_similar("z") == [("a", 0.0), ("b", 0.0)]
    assert ZERO.most_similar(["a", "z"], ["a"]) == [("b", 0.0)]     # a sum that is zero


# Neighbours --------------------------------------------------------------------------------------------

@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 14), st.integers(0, 2**32 - 1))
def test_neighbours_are_those_of_a_plain_loop(size, width, topn, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(-2, 3, (size, width))                      # equal cosines and zero rows are common
    v = WordVectors([f"w{i}" for i in range(size)], table)
    right, unit = plain_neighbours(v, table[0].astype(float), ["w0"])
    found = v.most_similar("w0", topn=topn)
    assert len(found) == min(topn, size - 1)
    np.testing.assert_allclose([c for _, c in found], [c for _, c in right[:topn]], atol=1e-6)
    for word, cosine in found:  # words may swap only where cosines are equal
        assert cosine == pytest.approx(dict(right)[word], abs=1e-6)
    many = v.neighbours(v.words, topn)[0]
    np.testing.assert_allclose([c for _, c in many], [c for _, c in found], atol=1e-6)


def test_neighbours_in_one_go_are_those_one_by_one(glove):
    words = glove.words[:200:3] + ["king", "king"]
    many = glove.neighbours(words, topn=7, restrict=5000)
    for word, found in zip(words, many):
        one = glove.most_similar(word, topn=7, restrict=5000)
        assert [w for w, _ in found] == [w for w, _ in one]
        np.testing.assert_allclose([c for _, c in found], [c for _, c in one], atol=1e-6)
        assert word not in dict(found) and not set(dict(found)) & set(glove.words[5000:])


def test_restrict_keeps_to_the_frequent_words():
    assert [w for w, _ in ROYAL.most_similar("queen", restrict=2)] == ["king", "man"]
    assert ROYAL.most_similar("queen", restrict=0) == []
    with pytest.raises(ValueError, match="-1"):
        ROYAL.most_similar("queen", restrict=-1)
    with pytest.raises(ValueError, match="-1"):
        ROYAL.most_similar("queen", topn=-1)
    with pytest.raises(ValueError, match="no words"):
        ROYAL.most_similar([])
    for options in (dict(topn=1.5), dict(topn="3"), dict(topn=None), dict(restrict=2.0)):
        with pytest.raises(TypeError, match=f"{next(iter(options))} is an integer"):
            ROYAL.most_similar("queen", **options)
    assert len(ROYAL.most_similar("queen", topn=10**30, restrict=10**30)) == 4


def test_nearest_of_any_vectors():
    rows, cosines = ROYAL.nearest([[8, 2], [0, 0]], topn=1)
    assert rows.tolist() == [[0], [0]] and cosines.round(5).tolist() == [[1], [0]]
    assert ROYAL.nearest(np.empty((0, 2)), topn=3)[0].shape == (0, 3)
    with pytest.raises(ValueError, match="3"):
        ROYAL.nearest(np.ones((1, 3)))
    for query in ([[np.nan, 0.0]], [[np.inf, 0.0]]):
        with pytest.raises(ValueError, match="finite"):
            ROYAL.nearest(query)
    with pytest.raises(TypeError, match="real numbers"):
        ROYAL.nearest([[1j, 0.0]])


def test_rows_that_are_no_answers():
    rows, cosines = ROYAL.nearest(ROYAL.unit[:2], topn=4, exclude=[[0], [1]])
    assert all(i not in found for i, found in enumerate(rows.tolist())) and np.isfinite(cosines).all()
    for exclude, part in (([0, 1], "exclude is"), ([[0]], "exclude is"), ([[-1], [0]], "-1"), ([[5], [0]], "5")):
        with pytest.raises(ValueError, match=part):
            ROYAL.nearest(ROYAL.unit[:2], exclude=exclude)


def test_a_table_of_nothing_and_of_one_word():
    nothing, one = WordVectors([], np.zeros((0, 3))), WordVectors(["a"], [[1, 2]])
    assert len(nothing) == 0 and nothing.nearest(np.ones((2, 3)))[0].shape == (2, 0)
    with pytest.raises(KeyError, match="'x'"):
        nothing.most_similar("x")
    assert one.most_similar("a") == [] and one.similarity("a", "a") == pytest.approx(1)


@pytest.mark.parametrize("word", [b"king", 3, None])
def test_what_is_no_word_is_unknown(word):
    with pytest.raises(KeyError, match="no vector for"):
        ROYAL.most_similar(word)


def test_similarity_of_lists_is_pair_by_pair():
    both = ROYAL.similarity(["king", "man"], ["queen", "apple"])
    np.testing.assert_allclose(both, [ROYAL.similarity("king", "queen"), ROYAL.similarity("man", "apple")])
    with pytest.raises(ValueError, match="2 and 3 words"):
        ROYAL.similarity(["king", "man"], ["queen", "man", "apple"])
    assert ROYAL.similarity("king", "queen") == pytest.approx(
        (4 * 3 + 1.8) / np.sqrt(17 * (9 + 3.24)), abs=1e-6
    )


def test_very_long_and_very_short_vectors():
    v = WordVectors(["long", "short", "other"], np.float32([[1e30, 0], [1e-30, 1e-30], [0, 1]]))
    assert v.similarity("long", "short") == pytest.approx(np.sqrt(0.5), abs=1e-6)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=3), st.integers(0, 7)
)
def test_best_columns_is_a_stable_sort(rows, k):
    scores = np.array(rows, float)
    right = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    assert best_columns(scores, k).tolist() == right.tolist()


# The table ---------------------------------------------------------------------------------------------

def test_the_table_must_fit_the_words():
    for words, table, part in ((["a"], [[1.0], [2.0]], "1 words"), (["a", "a"], [[1.0], [2.0]], "'a'"),
                               (["a"], [1.0], "shape"), (["a", "b"], [[1.0], [np.nan]], "'b'")):
        with pytest.raises(ValueError, match=part):
            WordVectors(words, table)


@pytest.mark.parametrize("words, table", [
    (["a"], [["x"]]), (["a"], np.array([[None]])), (["a"], [[1j]]), ([1], [[1.0]]), ([["a"]], [[1.0]]),
    ([b"a"], [[1.0]]), (None, [[1.0]])])
def test_words_are_strings_and_vectors_are_numbers(words, table):
    with pytest.raises(TypeError):
        WordVectors(words, table)


def test_the_table_is_a_copy_and_read_only():
    given_table = np.ones((1, 2))
    v = WordVectors(["a"], given_table)
    given_table[:] = 5
    assert v["a"].tolist() == [1, 1]
    with pytest.raises(ValueError):
        v.table[0] = 3
    with pytest.raises(ValueError):
        v.unit[0] = 3


def test_from_an_embedding_and_back():
    layer = Embedding(3, 4)
    v = WordVectors.from_embedding(layer, ["x", "y", "z"])
    np.testing.assert_array_equal(v["y"], layer.weight.data[1])
    np.testing.assert_array_equal(
        Embedding.from_pretrained(v.table)(v.rows(["z", "x"])).data, layer.weight.data[[2, 0]]
    )
    with pytest.raises(ValueError, match="2 words"):
        WordVectors.from_embedding(layer, ["x", "y"])


def test_the_shipped_table_by_name(glove):
    assert len(glove) == 10_000 and glove.table.shape == (10_000, 50) and glove.words[0] == "the"
    assert (
        "king" in glove and "King" not in glove and repr(glove) == "WordVectors(10000 words, 50 numbers each)"
    )
    for name in ("glove", "../data/glove-6b-50d-10k"):
        with pytest.raises(ValueError, match="ships glove-6b-50d-10k"):
            WordVectors.load(name)


def test_known_analogies_of_the_shipped_table(glove):
    def answers(*question):
        return [word for word, _ in glove.analogy(*question, topn=3)]
    assert answers("man", "king", "woman") == ["queen", "throne", "prince"]
    assert answers("france", "paris", "italy") == ["rome", "milan", "turin"]
    assert answers("walk", "walking", "swim")[0] == "swimming"


# Scores ------------------------------------------------------------------------------------------------

def test_accuracy_counts_sections_skips_and_the_baseline():
    v = WordVectors(
        ["man", "king", "woman", "queen", "near"], [[1, 0], [1, 1], [-1, 0.1], [-1, 1.1], [-1, 0.2]]
    )
    sections = {"royal": [("man", "king", "woman", "queen")], "other": [("man", "king", "woman", "duchess")]}
    scores = v.accuracy(sections)
    assert scores["royal"] == (1, 0, 1, 0), "right by arithmetic; woman alone is nearest to 'near'"
    assert scores["other"] == (0, 0, 0, 1) and scores["other"].accuracy == 0
    assert v.accuracy([("king", "queen", "man", "man")])["all"].right == 0, "a word of the question"
    assert scores["all"] == (1, 0, 1, 1) and scores["all"].accuracy == 1 and scores["all"].baseline == 0
    assert v.accuracy(sections["royal"])["all"] == (1, 0, 1, 0)
    assert v.accuracy(sections, restrict=3)["royal"] == (0, 0, 0, 1)
    assert v.accuracy([])["all"] == (0, 0, 0, 0)


@pytest.mark.parametrize("table", [np.zeros((6, 3)), np.ones((6, 3))])
def test_ties_count_against_a_table(table):
    v = WordVectors(list("abcdef"), table)
    score = v.accuracy(questions_from([("a", "b"), ("c", "d"), ("e", "f")]))["all"]
    assert score == (0, 0, 6, 0)


def test_a_random_table_gets_nothing_right(glove):
    noise = WordVectors(glove.words, np.random.default_rng(0).normal(size=glove.table.shape))
    pairs = [("man", "woman"), ("king", "queen"), ("father", "mother"), ("son", "daughter"), ("he", "she")]
    questions = questions_from(pairs)
    assert noise.accuracy(questions)["all"].accuracy == 0
    real = glove.accuracy(questions)["all"]
    assert real.asked == 20 and real.accuracy > 0.6 > real.baseline


@pytest.mark.parametrize("questions", [[("a", "b", "c")], "a b c d", ["a b c d"], {"x": [("a",) * 5]}])
def test_an_analogy_has_four_words(questions):
    with pytest.raises(ValueError, match="four words"):
        ROYAL.accuracy(questions)


def test_questions_are_read_and_made():
    text = ": capitals\nAthens Greece  Oslo Norway\n\n: plural\ncat cats dog dogs\n"
    assert read_questions(text) == {"capitals": [("athens", "greece", "oslo", "norway")],
                                    "plural": [("cat", "cats", "dog", "dogs")]}
    assert len(questions_from([("a", "b"), ("c", "d"), ("e", "f")])) == 6


def test_rank_correlation():
    v = WordVectors(["x", "a", "b", "c"], [[1, 0], [1, 0.1], [1, 1], [0, 1]])
    assert v.spearman([("x", "a", 9), ("x", "b", 5), ("x", "c", 1), ("x", "nowhere", 7)]) == pytest.approx(1)
    assert v.spearman([("x", "a", 1), ("x", "b", 2), ("x", "c", 3)]) == pytest.approx(-1)
    assert v.spearman([("x", "a", 2), ("x", "b", 2), ("x", "c", 1)]) == pytest.approx(np.sqrt(3) / 2)
    with pytest.raises(ValueError, match="finite"):
        v.spearman([("x", "a", float("nan")), ("x", "b", 1)])
    assert np.isnan(v.spearman([("x", "a", 1), ("x", "b", 1)])), "people who see no difference rank nothing"
    with pytest.raises(ValueError, match="two pairs"):
        v.spearman([("x", "nowhere", 1)])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9))
def test_equal_numbers_share_their_mean_rank(numbers):
    plain = [sum(x < y for x in numbers) + (sum(x == y for x in numbers) + 1) / 2 for y in numbers]
    assert ranks(numbers).tolist() == plain


# Sentences ---------------------------------------------------------------------------------------------

def test_words_of_a_text():
    assert words_of("It\u2019s o\u2019er") == ["it's", "o'er"]
    assert words_of("'Tis the king's; O'er 2 HILLS -- l'été_x don''t") == [
        "tis",
        "the",
        "king's",
        "o'er",
        "hills",
        "l'été",
        "x",
        "don",
        "t",
    ]
    assert words_of("") == [] == words_of("123 --- ''")
    for text in (b"to be", None, ["to", "be"]):
        with pytest.raises(TypeError, match="a text is a string"):
            words_of(text)


def test_a_sentence_is_the_mean_of_its_known_words():
    sentences = ["King, king queen!", "nothing known", "", "apple"]
    means = ROYAL.sentence_vectors(sentences)
    np.testing.assert_allclose(means, [[11 / 3, 3.8 / 3], [0, 0], [0, 0], [-3, 0.5]], rtol=1e-6)
    assert ROYAL.sentence_vectors([]).shape == (0, 2)


@pytest.mark.parametrize("dtype, size", [
    (np.int8, 100), (np.uint8, 200), (np.bool_, 1), (np.float16, 60_000), (np.float32, 3e38), (np.float64, 1e308)])
def test_a_mean_of_large_numbers_stays_in_range(dtype, size):
    v = WordVectors(["a", "b"], np.array([[size, 0], [size, size]], dtype))
    means = v.sentence_vectors(["a b", "a a a a"])
    np.testing.assert_allclose(means / size, [[1, 0.5], [1, 0]], rtol=1e-3)
    assert [s for s, _ in v.search(["", "a b", "a a a a"], "a")] == ["a a a a", "a b", ""]


def test_search_finds_a_line_in_other_words(glove):
    lines = [
        "If so, our copper buys no better treasure.",
        "The sun sets weeping in the lowly west,",
        "Exeunt",
        "",
        "Where is my father, and my mother, nurse?",
    ]
    found = glove.search(lines, "Wealth cannot buy happiness.", topn=2)
    assert found[0][0] == lines[0] and found[0][1] > found[1][1]
    assert (
        len(glove.search(lines, "money", topn=99)) == 5
        and np.isfinite([c for _, c in glove.search(lines, "money")]).all()
    )


def test_sentences_are_a_list_of_texts(glove):
    for ask in (glove.sentence_vectors, lambda one: glove.search(one, "king")):
        with pytest.raises(TypeError, match="list of texts"):
            ask("a queen and a king")
    lines = ["a queen", "a river"]
    assert glove.search(iter(lines), "king") == glove.search(lines, "king")
    assert glove.search(lines, "king", topn=0) == glove.search([], "king") == []
    with pytest.raises(ValueError, match="topn"):
        glove.search(lines, "king", topn=-1)
    with pytest.raises(KeyError):
        glove.search(lines, "")


def test_many_sentences_are_done_in_parts_without_a_seam(glove):
    lines = [f"{a} {b}" for a, b in zip(glove.words[:5000], glove.words[1:])]
    table = glove.sentence_vectors(lines)
    np.testing.assert_allclose(table, (glove.table[:5000] + glove.table[1:5001]) / 2, atol=1e-6)


# Pictures ----------------------------------------------------------------------------------------------

def test_pca_keeps_the_widest_axes():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 4)) @ np.diag([1, 9, 3, 0.1]) + 5
    places, shares = vectors.pca(rows, 2)
    assert places.shape == (50, 2) and shares.sum() > 0.98
    assert abs(np.corrcoef(places[:, 0], rows[:, 1])[0, 1]) > 0.98
    np.testing.assert_allclose(places.mean(axis=0), 0, atol=1e-9)
    far = np.linalg.norm(rows[:, None] - rows, axis=-1)             # all four axes keep every distance
    whole, _ = vectors.pca(rows, 4)
    np.testing.assert_allclose(np.linalg.norm(whole[:, None] - whole, axis=-1), far, atol=1e-9)


def test_pca_of_few_rows_and_columns_fills_up_with_zeros():
    places, shares = vectors.pca([[1.0], [3.0], [5.0]], 2)
    np.testing.assert_allclose(np.abs(places), [[2, 0], [0, 0], [2, 0]], atol=1e-9)
    assert shares.round(9).tolist() == [1, 0]
    assert vectors.pca([[1, 2, 3]], 2)[0].tolist() == [[0, 0]]
    for rows in ([1, 2], np.empty((0, 3))):
        with pytest.raises(ValueError, match="rows"):
            vectors.pca(rows, 2)


def test_maps_of_few_words_of_many_groups_and_of_none():
    pytest.importorskip("matplotlib")
    many = WordVectors([f"$w{i}_$" for i in range(12)], np.random.default_rng(0).normal(size=(12, 3)))
    figure = vectors.word_map({"a $_$ title": many}, {word: [word] for word in many.words})
    assert len(figure.axes[0].collections) == 12                    # a dot for each word
    assert vectors.word_map({"one": many}, {"group": many.words[:1]}).axes
    with pytest.raises(KeyError, match="'father'"):
        vectors.word_map({"plays": many})
    for tables, groups in (({}, {"x": ["a"]}), ({"x": many}, {}), ({"x": many}, {"g": []})):
        with pytest.raises(ValueError, match="a table and words"):
            vectors.word_map(tables, groups)


def test_the_map_shows_every_word_without_overlap(glove):
    pytest.importorskip("matplotlib")
    figure = vectors.word_map({"GloVe": glove})
    figure.canvas.draw()
    for axes in figure.axes:
        assert sorted(t.get_text() for t in axes.texts) == sorted(
            w for group in vectors.MAP_WORDS.values() for w in group
        )
        boxes = [t.get_window_extent() for t in axes.texts]
        crossing = sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        assert crossing <= 1, f"{crossing} labels overlap"
        assert axes.get_xlabel() and axes.get_ylabel() and axes.get_title()
